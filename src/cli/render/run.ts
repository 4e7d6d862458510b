import { formatCount, formatDuration, formatInstant, formatNumber } from '../../core/run/formats.ts';
import type { Outcome } from '../../core/run/run.ts';
import { waitingWords } from '../../core/run/waiting.ts';
import type { HeldEnd } from '../../ports/reports.ts';
import { isKnownPhase } from '../../ports/runs.ts';
import type { Batch, HoldFacts, Run } from '../../ports/store.ts';
import type { RunReport, RunWork } from '../../views/runs.ts';
import { heldEndWords, openIn, reasonNow } from '../../views/runs.ts';
import { cleanLine, renderTable, type Style } from '../terminal.ts';
import { renderFindings } from './changes.ts';
import {
  changesInAll,
  readWord,
  renderBlocked,
  renderEnds,
  renderFacts,
  renderKinds,
  renderRead,
  renderRequests,
} from './counts.ts';
import { interruptedWords, phaseWords, problemWords } from './status.ts';

const shownBatches = 20;

/** Runs that `apply` does first, and that nothing interrupted. */
const resumedWords: Readonly<Record<string, string>> = {
  leavers: 'run about leavers alone',
  approval: 'approved changes, delivered first',
};

/** Renders the result of a run: outcome, counts, batches, findings, and the next commands. */
export function renderRun(report: RunReport, style: Style): string {
  const { findings, findingsInAll, batches, resumed } = report;
  const shown = shownReasons(report);
  // What the read lacks, as the headline names it.
  const { plan, reason = '' } = report.run;
  const gaps = (plan?.sourceGaps ?? []).filter((gap) => reason.includes(gap));
  const news = findings.filter(({ message }) => !shown.includes(message) && !gaps.some((gap) => message.endsWith(gap)));
  const sections = [
    ...resumed.map(
      (old) => `${resumedWords[old.trigger] ?? 'interrupted run, continued and ended'}:
${headOf(old, old.reason, style)}`,
    ),
    headOf(report.run, reasonNow(report), style),
    renderWork(report, style),
    renderHolds(report, style),
    renderVerdicts(report),
    renderBatches(batches, style),
    renderFindings(news, findingsInAll - (findings.length - news.length), style),
    renderNext(report, style),
  ];
  return sections.filter((section) => section !== '').join('\n\n');
}

/** Returns the reasons of holds, which have their own section and are not repeated for each change and finding. */
export function shownReasons({ holds }: RunReport): readonly string[] {
  return holds.map(({ reason }) => reason);
}

function headOf(run: Run, reason: string | undefined, style: Style): string {
  const { id, sync, trigger, startedAt, endedAt, counts, plan, delivery } = run;
  const took = endedAt === undefined ? '' : `, took ${formatDuration(endedAt - startedAt)}`;
  const lines = [
    `${style.colors.bold(sync)}: ${renderOutcome({ ...run, reason }, style)}`,
    `  run ${id} (${trigger}), started ${formatInstant(startedAt)}${took}`,
  ];
  const read = renderRead(run);
  if (read !== '') lines.push(`  ${read}`);
  const seen = plan === undefined ? '' : renderFacts(plan, delivery);
  if (seen !== '') lines.push(`  ${seen}`);
  if (changesInAll(counts) > 0) lines.push(`  ${renderKinds(counts)}`);
  const ends = renderEnds(counts);
  if (ends !== '') lines.push(`  ${ends}`);
  lines.push(...renderRequests(run).map((line) => `  ${line}`));
  lines.push(...(delivery?.exportedTo ?? []).map((path) => `  written to ${cleanLine(path)}`));
  return lines.join('\n');
}

const words: Readonly<Record<string, string>> = {
  succeeded: 'done',
  'nothing-to-do': 'nothing to do',
  held: 'needs approval',
  partial: 'partial',
  failed: 'failed',
  cancelled: 'cancelled',
  exported: 'exported',
} satisfies Record<Outcome, string>;

function renderOutcome(run: Pick<Run, 'outcome' | 'reason' | 'phase' | 'isSuccess'>, { colors }: Style): string {
  if (run.outcome === undefined) return colors.cyan(phaseWords(run.phase));
  const text = words[run.outcome] ?? cleanLine(run.outcome);
  const why = run.reason === undefined ? '' : `: ${cleanLine(run.reason).replace(new RegExp(`^${text}: `), '')}`;
  // A bad record alone is work for HR, not a failure.
  const partial = run.isSuccess ? colors.yellow : colors.red;
  const color = { failed: colors.red, partial, held: colors.yellow, cancelled: colors.yellow };
  const paint = color[run.outcome as keyof typeof color] ?? colors.green;
  // What became of the held changes says it better, and stays true once all are decided.
  if (run.outcome === 'held' && /^\d/.test(run.reason ?? '')) return paint(cleanLine(run.reason ?? ''));
  return `${paint(text)}${why}`;
}

/** What a run in progress waits for, and whether a process works on it. */
function renderWork({ run, work }: RunReport, style: Style): string {
  if (work === undefined) return '';
  const { interrupted, files } = work;
  const lines: string[] = [];
  if (interrupted !== undefined) lines.push(interruptedWords(interrupted, run.sync, style));
  const { waiting, problem } = run;
  if (waiting !== undefined && interrupted === undefined) lines.push(cleanLine(waitingWords(waiting)));
  else if (files !== undefined && !run.isCancelRequested) lines.push(filesWords(files));
  if (problem !== undefined) lines.push(problemWords(problem));
  return lines.join('\n');
}

export function stopWords(work: RunReport['work']): string {
  return work?.files === undefined
    ? 'it stops at its next safe point'
    : `it sends nothing more, and ${filesWords(work.files)}`;
}

/** Returns which outcome is waited for, and until when. */
function filesWords({ count, untilMs }: NonNullable<RunWork['files']>): string {
  return `waits for the outcome of ${formatCount(count, 'file')}, until ${formatInstant(untilMs)} at the latest`;
}

function renderHolds({ run, holds, heldEnds }: RunReport, { colors }: Style): string {
  if (holds.length === 0) return '';
  const lines = holds.flatMap((hold) => {
    const ends = heldEnds.filter(({ classes }) => classes.includes(hold.class));
    const words = ends.map((end) => endWords(end, hold));
    const again = hold.run === run.id ? [] : [`held again by run ${hold.run}`];
    const head = `  ${cleanLine(hold.reason)} (${[formatCount(hold.size, 'change'), ...again].join(', ')}`;
    if (words.length === 1) return [`${head}, ${words[0]})`];
    return [`${head})`, ...words.map((text, i) => `    ${formatNumber(ends[i]?.count ?? 0)} ${text}`)];
  });
  return [colors.yellow('needs approval:'), ...lines].join('\n');
}

/** Renders, for example, `approved by ana, applied in run run_02`. */
function endWords({ state, by, why, run, end }: HeldEnd, { expiresAt }: HoldFacts): string {
  if (state === 'open') return `open until ${formatInstant(expiresAt)}`;
  const who = by === undefined ? '' : ` by ${cleanLine(by)}`;
  const said = why === undefined ? '' : ` (${cleanLine(why)})`;
  const used = run === undefined ? '' : `, ${end ?? 'used'} in run ${run}`;
  return `${heldEndWords[state]}${who}${said}${used}`;
}

/** Renders who approved and rejected in this run. */
function renderVerdicts({ verdicts }: RunReport): string {
  if (verdicts.length === 0) return '';
  const rows = verdicts.map(({ at, by, action, detail, reason }) => [
    formatInstant(at),
    cleanLine(by),
    action,
    cleanLine([detail, reason].filter((text) => text !== undefined).join(': ')),
  ]);
  return ['decisions:', renderTable(rows, '  ')].join('\n');
}

function renderBatches(batches: readonly Batch[], { colors }: Style): string {
  if (batches.length === 0) return '';
  const rows = batches.slice(0, shownBatches).map((batch) => [
    `${batch.number}`,
    batch.kind,
    formatCount(batch.size, 'change'),
    batch.fileName === undefined ? '' : cleanLine(batch.fileName),
    batch.state === 'unresolved' ? colors.yellow(batch.state) : batch.state.replace('settled', 'ended'),
    [batch.status, batch.reason]
      .filter((text) => text !== undefined)
      .map(cleanLine)
      .join(': '),
  ]);
  const rest = batches.length - rows.length;
  const more = rest > 0 ? [colors.dim(`  … and ${formatNumber(rest)} more`)] : [];
  return [`${formatCount(batches.length, 'batch', 'batches')}:`, renderTable(rows, '  '), ...more].join('\n');
}

function renderNext({ run, heldEnds, isReadWaiting, work }: RunReport, style: Style): string {
  const { counts, id, outcome, phase } = run;
  if (!isKnownPhase(phase)) return 'A newer version of Rollcall works on this run; this version only shows it.';
  if (outcome === undefined) return run.isCancelRequested ? stopWords(work) : '';
  const lines: (readonly [string, string])[] = [];
  const isOpen = openIn(heldEnds) > 0 || isReadWaiting;
  if (counts.held > 0) lines.push(['to list the held changes:', style.command(`show ${id} --held`)]);
  if (isOpen)
    lines.push(['to approve it:', style.command(`approve ${id}`)], ['to reject it:', style.command(`reject ${id}`)]);
  const isTrouble = counts.failed + counts.unresolved > 0;
  if (isTrouble) lines.push(['who failed, and why:', style.command(`show ${id} --failed`)]);
  if (isTrouble || outcome === 'failed' || outcome === 'cancelled') {
    lines.push(['to retry:', style.command(`retry ${id}`)]);
  }
  return renderTable(lines);
}

/** Renders runs as a table, newest first. `show` has the reasons. */
export function renderRuns(runs: readonly Run[], now: number, style: Style): string {
  const head = ['RUN', 'SYNC', 'TRIGGER', 'READ', 'STARTED', 'TOOK', 'OUTCOME', 'CHANGES'].map(style.colors.dim);
  const rows = runs.map((run) => [
    run.id,
    run.sync,
    run.trigger,
    readWord(run),
    formatInstant(run.startedAt),
    formatDuration((run.endedAt ?? now) - run.startedAt),
    renderOutcome({ ...run, reason: undefined }, style),
    [renderEnds(run.counts) || renderKinds(run.counts), (run.plan && renderBlocked(run.plan)) ?? '']
      .filter(Boolean)
      .join(', ') || '–',
  ]);
  const waits = runs.flatMap(({ id, phase, waiting }) =>
    waiting === undefined || phase === 'done' ? [] : [`${id}: ${cleanLine(waitingWords(waiting))}`],
  );
  return [renderTable([head, ...rows]), ...waits].join('\n');
}
