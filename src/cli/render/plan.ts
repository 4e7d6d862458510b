import { lacksStatus } from '../../core/guard/blocked.ts';
import { editedSentence, editSentence } from '../../core/plan/configuration.ts';
import { formatCount, formatNumber } from '../../core/run/formats.ts';
import { chooseOutcome, noStates, type OutcomeAndReason } from '../../core/run/report.ts';
import type { PlanReport } from '../../ports/previews.ts';
import type { PlannedChange } from '../../ports/store.ts';
import { cleanLine, type Style } from '../terminal.ts';
import { renderChanges, renderFindings } from './changes.ts';
import { changesInAll, renderBudget, renderFacts, renderKinds } from './counts.ts';

/** The expected outcome of a run with this plan, in the order of exit codes: `failed`, `partial`, `held`. */
export type PlanOutcome = 'planned' | 'nothing-to-do' | 'held' | 'partial' | 'failed';

export function planEnd({ counts, facts, failure }: PlanReport): PlanEnd {
  const end = { counts, states: noStates, isCancelled: false, failure, plan: facts };
  const { outcome, reason, reasons } = chooseOutcome(end);
  if (outcome === 'failed' || outcome === 'partial' || outcome === 'held') return { outcome, reason, reasons };
  return { outcome: changesInAll(counts) > 0 ? 'planned' : 'nothing-to-do', reason: undefined, reasons: [] };
}

export interface PlanEnd extends Pick<OutcomeAndReason, 'reason' | 'reasons'> {
  readonly outcome: PlanOutcome;
}

/** The shown part of a digest. `--approve` accepts it. */
const shortDigest = (digest: string): string => digest.slice(0, 12);

/** Renders a plan: counts, held changes, findings, the first changes, and the next commands. */
export function renderPlan(
  report: PlanReport,
  { outcome, reason }: PlanEnd,
  { changes, differing }: { readonly changes: readonly PlannedChange[]; readonly differing: readonly PlannedChange[] },
  style: Style,
): string {
  const inAll = changesInAll(report.counts);
  const { length: shown } = changes;
  // Held changes have a section of their own, and the head names what the read lacks.
  const isGap = (message: string) => report.facts.sourceGaps.some((gap) => message.endsWith(gap));
  const news = report.findings.filter(({ code, message }) => code !== 'held' && !isGap(message));
  const sections = [
    headOf(report, outcome, inAll, style),
    renderHolds(report, style),
    renderEdit(report, differing, style),
    renderFindings(news, news.length, style),
    // Findings hold no value of a record.
    report.findings.some(({ code }) => code === 'status-unknown')
      ? `to see the values of the status:  ${style.command(`source try ${report.sync}`)}`
      : '',
    changes.length === 0
      ? ''
      : `${shown < inAll ? `${formatNumber(shown)} of ${formatCount(inAll, 'change')}, some of every class:` : 'changes:'}\n${renderChanges(changes, heldReasons(report), style).replace(/^/gm, '  ')}`,
    renderRest(shown, inAll, report.sync, style),
    renderNext(report, { outcome, reason }, inAll, style),
  ];
  return sections.filter((section) => section !== '').join('\n\n');
}

function headOf(
  { sync, counts, facts, failure }: PlanReport,
  outcome: PlanOutcome,
  inAll: number,
  style: Style,
): string {
  const { colors } = style;
  const lines = [`${colors.bold(sync)}: ${headline(outcome, inAll, counts.held, style)}`];
  const seen = renderFacts(facts);
  if (seen !== '') lines.push(`  ${seen}`);
  if (inAll > 0) lines.push(`  ${renderKinds(counts)}`);
  const { budget, budgetWithHeld, sourceGaps: gaps } = facts;
  if (budget !== undefined && inAll > counts.held) lines.push(`  ${renderBudget(budget)}`);
  if (budgetWithHeld !== undefined) lines.push(`  with the held changes: ${renderBudget(budgetWithHeld)}`);
  if (failure !== undefined) lines.push(colors.red(`  ${cleanLine(failure)}`));
  if (failure === undefined && gaps.length > 0) {
    lines.push(colors.yellow(`  the source was not read completely: ${gaps.map(cleanLine).join('; ')}`));
    lines.push('  such a read marks no employee as missing');
  }
  return lines.join('\n');
}

function headline(outcome: PlanOutcome, inAll: number, held: number, { colors }: Style): string {
  if (outcome === 'failed') return colors.red('nothing can be delivered');
  if (inAll === 0) return outcome === 'nothing-to-do' ? colors.green('nothing to do') : colors.yellow('no changes');
  const stopped = held === 0 ? '' : colors.yellow(`, ${formatNumber(held)} of them held`);
  return `${formatCount(inAll, 'change')}${stopped}`;
}

function heldReasons({ holds, findings }: PlanReport): readonly string[] {
  const messages = findings.filter(({ code }) => code === 'held').map(({ message }) => message);
  return [...new Set([...holds.map(({ reason }) => reason), ...messages])];
}

function renderHolds(report: PlanReport, { colors }: Style): string {
  const reasons = heldReasons(report);
  const { isReadDoubted, blocked } = report.facts;
  if (reasons.length === 0 && !isReadDoubted) return '';
  const lines = reasons.map((reason) => `  ${cleanLine(reason)}`);
  if (isReadDoubted && lacksStatus(blocked)) lines.push('  name the status in lifecycle, or check the source');
  else if (isReadDoubted) lines.push('  the source looks wrong: check it before you approve');
  return [colors.yellow('needs approval:'), ...lines].join('\n');
}

/** Renders what an edit of the configuration changes, by field and class, with examples. */
function renderEdit(report: PlanReport, examples: readonly PlannedChange[], style: Style): string {
  const { edit } = report.facts;
  if (edit === undefined) return '';
  const classes = Object.entries(edit.classes).map(([name, count]) => `${name} ${formatNumber(count)}`);
  return [
    style.colors.yellow(`${editSentence(edit)}`),
    `  by class: ${classes.join(', ')}`,
    `  ${editedSentence(edit.keys)}`,
    '  for example:',
    renderChanges(examples, heldReasons(report), style).replace(/^/gm, '    '),
  ].join('\n');
}

function renderRest(shown: number, inAll: number, sync: string, style: Style): string {
  if (shown === 0 || shown >= inAll) return '';
  const command = style.command(`plan ${sync} --out plan.csv`);
  return style.colors.dim(`… and ${formatNumber(inAll - shown)} more: --limit ${inAll}, or ${command}`);
}

function renderNext(
  { sync, digest, counts, failure, facts, undoes }: PlanReport,
  { outcome, reason }: Pick<PlanEnd, 'outcome' | 'reason'>,
  inAll: number,
  style: Style,
): string {
  if (failure !== undefined) return `to check the source: ${style.command('check')}`;
  const apply = style.command(`apply ${sync}`);
  const thenApprove = style.command('approve RUN');
  if (undoes !== undefined) {
    const waits = counts.held === 0 ? '' : `\nthe held changes then wait for ${thenApprove}`;
    return inAll === 0 ? '' : `to undo the run:  ${style.command(`undo ${undoes}`)}${waits}`;
  }
  // A shown plan has no read to accept: only a run has.
  if (inAll === 0) return outcome === 'held' ? `to accept this read of the source:  ${apply}, then ${thenApprove}` : '';
  const approve = style.command(`apply ${sync} --approve ${shortDigest(digest)}`);
  const isHeld = counts.held > 0 || facts.isReadDoubted;
  const lines = [`digest ${shortDigest(digest)}`];
  if (!isHeld) lines.push(`to deliver it:  ${apply}`);
  else {
    if (counts.held < inAll) lines.push(`to deliver what is not held:  ${apply}`);
    lines.push(`to approve and deliver all:   ${approve}`);
  }
  if (outcome === 'partial' && reason !== undefined) lines.push(`the outcome of the run will be partial: ${reason}`);
  return lines.join('\n');
}
