import { approvalMs, decideRun, previewVerdict, type VerdictPreview } from '../../app/approve.ts';
import { findHolds, type HeldName } from '../../app/holds.ts';
import { describeRun } from '../../app/runs.ts';
import { givenWords } from '../../core/guard/approvals.ts';
import { classNoun } from '../../core/guard/guard.ts';
import { differencesOf } from '../../core/plan/change.ts';
import { formatCount, formatInstant, formatNumber } from '../../core/run/formats.ts';
import type { PlannedChange, Run } from '../../ports/store.ts';
import { personOf } from '../../views/changes.ts';
import { type HoldsReport, holdsView, type OpenHold, type VerdictReport, verdictView } from '../../views/holds.ts';
import { readSelection, type SelectionOptions } from '../options.ts';
import { renderDifference } from '../render/changes.ts';
import { renderBudget } from '../render/counts.ts';
import { printDeclined, type Shell } from '../shell.ts';
import { cleanLine, renderTable, type Style } from '../terminal.ts';

const shownPeople = 50;

interface VerdictOptions extends SelectionOptions {
  /** Only of `approve`. */
  readonly reopen?: boolean;
}

/** Shows which held changes a verdict is about, asks for confirmation, and decides. Returns the exit code. */
export function approveHeld(shell: Shell, run: string, options: VerdictOptions): Promise<number> {
  return decideHeld(shell, 'approve', run, options);
}

export function rejectHeld(shell: Shell, run: string, options: VerdictOptions): Promise<number> {
  return decideHeld(shell, 'reject', run, options);
}

async function decideHeld(
  shell: Shell,
  action: 'approve' | 'reject',
  id: string,
  options: VerdictOptions,
): Promise<number> {
  const selection = await readSelection(shell, options);
  const caller = await shell.caller();
  const reopens = options.reopen === true ? { reopens: true } : {};
  return shell.withApp({ hasEffect: true }, async (app) => {
    const { run } = await describeRun(app, id);
    const preview = await previewVerdict(app, action, run.id, { ...selection, ...reopens, limit: shownPeople });
    const { held, acceptsRead } = preview;
    const isReopening = held.some(({ decision }) => decision?.state === 'rejected');
    if (held.length > 0) shell.print(renderHeld(run, preview, shell.style));
    if (acceptsRead) shell.print(renderRead(run, shell.style));
    else if (run.plan?.doubt !== undefined)
      shell.print(`the source of the run looks wrong: ${cleanLine(run.plan.doubt)}`);
    const what = held.length === 0 ? 'the read of this run' : formatCount(held.length, 'change');
    const question = `${action} ${what}${isReopening ? ', which a person rejected' : ''}?`;
    if (!(await shell.confirm(question))) return printDeclined(shell);
    const report = await decideRun(app, action, run.id, { ...caller, ...selection, ...reopens });
    const { holds } = await findHolds(app, { sync: run.sync, limit: 0 });
    const left = Math.max(0, ...holds.filter(({ hold }) => hold.run === run.id).map(({ waiting }) => waiting));
    const facts = { left, now: app.engine.clock.now() };
    return printVerdict(shell, action === 'approve' ? 'approved' : 'rejected', report, facts);
  });
}

/** The people whom a verdict is about, with what changes, and who rejected it before. */
function renderHeld(run: Run, { held, first }: VerdictPreview, style: Style): string {
  const rest = held.length - first.length;
  const verdicts = [...new Set(held.flatMap(verdictOf))];
  return [
    `held in run ${run.id} of ${run.sync}:`,
    renderHeldPeople(first, style),
    ...(rest > 0 ? [style.colors.dim(`  … and ${formatNumber(rest)} more`)] : []),
    ...verdicts.map((verdict) => style.colors.yellow(verdict)),
  ].join('\n');
}

/** What an approval of a doubted read accepts, why it was doubted, and what that means for later runs. */
function renderRead({ id, sync, plan, reason }: Run, { colors }: Style): string {
  const why = plan?.doubt ?? reason;
  const sourceRows = plan?.sourceRows;
  const rows = sourceRows === undefined ? '' : ` of ${formatCount(sourceRows, 'row')}`;
  return [
    colors.yellow(`the source of ${sync} looks wrong in run ${id}${why === undefined ? '' : `: ${cleanLine(why)}`}`),
    `approving accepts this read${rows}: later reads are compared with it`,
  ].join('\n');
}

function verdictOf({ decision }: HeldName): string[] {
  if (decision?.state !== 'rejected') return [];
  const why = decision.why === undefined ? '' : `: ${cleanLine(decision.why)}`;
  return [`rejected by ${cleanLine(decision.by ?? 'a person')}${why}`];
}

function printVerdict(
  shell: Shell,
  verdict: 'approved' | 'rejected',
  report: VerdictReport,
  { left, now }: { readonly left: number; readonly now: number },
): number {
  const { run, sync, changes, pending, reduced, expiresAt, frozenUntil, isDeploymentRunning } = report;
  shell.printJson({ verdict, ...verdictView(report) });
  const next = isDeploymentRunning ? 'the running deployment' : shell.style.command(`apply ${sync}`);
  const what = changes === 0 ? `the read of run ${run}` : formatCount(changes, 'change');
  if (pending > 0) {
    const some = formatCount(pending, 'change still needs', 'changes still need');
    shell.print(`your approval is stored; ${some} another approver:  ${shell.style.command('holds')}`);
    if (changes === 0) return 0;
  }
  if (changes === 0 && verdict === 'approved') {
    shell.print(`approved ${what}: later reads are compared with it`);
    return 0;
  }
  if (verdict === 'rejected') {
    shell.print(`rejected ${what}: no run delivers or holds them again while their reason lasts`);
    if (reduced > 0) {
      const rest = `${formatCount(reduced, 'of them has', 'of them have')} other fields that were not rejected`;
      shell.print(`${rest}. To plan these:  ${next}`);
    }
  } else if (isDeploymentRunning) {
    shell.print(`approved ${what}: the running deployment delivers them now, if they are still planned`);
  } else {
    shell.print(`approved ${what} for 24 h; to deliver them:  ${next}`);
  }
  if (frozenUntil !== undefined)
    shell.print(`disables and removes wait for the end of the freeze at ${formatInstant(frozenUntil)}`);
  if (expiresAt !== undefined && expiresAt > now + approvalMs)
    shell.print(`the time of the freeze does not count: the approval is valid until ${formatInstant(expiresAt)}`);
  if (left > 0)
    shell.print(
      `${formatCount(left, 'change of the run still waits', 'changes of the run still wait')}:  ${shell.style.command('holds')}`,
    );
  return 0;
}

export async function listHolds(shell: Shell, asked: Parameters<typeof findHolds>[1]): Promise<number> {
  return shell.withApp({}, async (app) => {
    const report = await findHolds(app, asked);
    return shell.answer(holdsView(report), renderHolds(report, shell.style));
  });
}

/** One line per person, kind, identification, name, e-mail and why, and under it the fields that change. */
function renderHeldPeople(changes: readonly PlannedChange[], style: Style): string {
  const rows = changes.map((change) => {
    const { name = '', email = '' } = personOf(change);
    const { kind, identification, reason } = change;
    const cells = [kind, style.colors.bold(cleanLine(identification)), cleanLine(name), cleanLine(email)];
    return [...cells, `${cleanLine(reason)}${becomes(change)}`];
  });
  const lines = renderTable(rows, '  ').split('\n');
  const fields = changes.map((change) =>
    differencesOf(change).map((difference) => `      ${renderDifference(change.kind, difference)}`),
  );
  return lines.flatMap((line, i) => [line, ...(fields[i] ?? [])]).join('\n');
}

/** What a change without fields does to the account. */
function becomes({ kind, before }: PlannedChange): string {
  const from = before?.enabled === false ? 'disabled' : 'enabled';
  if (kind === 'disable') return ` (${from} → disabled)`;
  if (kind === 'enable') return ` (${from} → enabled)`;
  return kind === 'remove' ? ` (${from} → removed)` : '';
}

/** Everything that waits for approval, hold by hold, with the commands that decide it. */
function renderHolds({ holds, reads }: HoldsReport, style: Style): string {
  if (holds.length === 0 && reads.length === 0) return 'No changes need approval.';
  const sections = holds.map((hold) => renderHold(hold, style));
  for (const { sync, run, reason } of reads) {
    const head = `${style.colors.bold(sync)}: ${style.colors.yellow('the source looks wrong')} in run ${run}`;
    const commands = renderTable([['to see why:', style.command(`show ${run}`)], ...commandsOf(run, '', style)], '  ');
    sections.push([head, ...(reason === undefined ? [] : [`  ${cleanLine(reason)}`]), commands].join('\n'));
  }
  return sections.join('\n\n');
}

function renderHold({ hold, isApprovable, waiting, budget, approvals, changes }: OpenHold, style: Style): string {
  const { sync, run, class: held, reason, heldAt, expiresAt } = hold;
  const { colors } = style;
  const head = `${colors.bold(sync)}: ${colors.yellow(`${formatCount(waiting, classNoun[held])} held`)} in run ${run}`;
  const until = isApprovable
    ? `held since ${formatInstant(heldAt)}, can be approved until ${formatInstant(expiresAt)}`
    : `expired ${formatInstant(expiresAt)}: the next run asks again`;
  const rest = waiting - changes.length;
  const next: [string, string][] = isApprovable
    ? commandsOf(run, ` --only ${held}`, style)
    : [['to ask again:', style.command(`apply ${sync}`)]];
  return [
    head,
    `  ${cleanLine(reason)}`,
    ...approvals.map((one) => `  ${cleanLine(givenWords(one.changes, one.of, one.by))}`),
    `  ${until}`,
    ...(budget === undefined || !isApprovable ? [] : [`  approving all: ${renderBudget(budget)}`]),
    ...(changes.length === 0 ? [] : [renderHeldPeople(changes, style)]),
    ...(rest > 0 ? [colors.dim(`  … and ${formatNumber(rest)} more: raise --limit`)] : []),
    renderTable(next, '  '),
  ].join('\n');
}

function commandsOf(run: string, selection: string, style: Style): [string, string][] {
  return [
    ['to approve:', style.command(`approve ${run}${selection}`)],
    ['to reject:', style.command(`reject ${run}${selection}`)],
  ];
}
