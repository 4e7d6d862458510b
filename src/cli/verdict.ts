import type { Command } from 'commander';
import type { App } from '../app/app.ts';
import type { VerdictPreview, VerdictReport } from '../app/approve.ts';
import type { HeldName } from '../app/held-changes.ts';
import type { Run } from '../ports/store.ts';
import { formatCount, formatNumber } from './amounts.ts';
import { renderHeldPeople } from './render-holds.ts';
import { addSelectionOptions, readSelection, type SelectionOptions } from './selection.ts';
import type { Shell } from './shell.ts';
import { addSignatureOptions, type SignatureOptions, signatureOf } from './signature.ts';
import type { Style } from './style.ts';
import { cleanLine } from './terminal-text.ts';

const shownPeople = 50;

export interface VerdictOptions extends SelectionOptions, SignatureOptions {
  readonly yes?: boolean;
  /** Only of `approve`. */
  readonly reopen?: boolean;
}

/** Adds the argument and options that `approve` and `reject` share. */
export function addVerdictOptions(command: Command): Command {
  const asked = command.argument('<run>', 'id of the run, or the end of the id');
  return addSignatureOptions(addSelectionOptions(asked)).option('--yes', 'skip the confirmation');
}

/** Shows which held changes a verdict is about, asks for confirmation, and decides. Returns the exit code. */
export async function decideHeld(
  shell: Shell,
  action: 'approve' | 'reject',
  id: string,
  options: VerdictOptions,
): Promise<number> {
  const selection = await readSelection(shell, options);
  const { by, signed } = signatureOf(shell, options);
  const reopens = options.reopen === true ? { reopens: true } : {};
  return shell.withApp({}, async (app) => {
    const { run } = await app.show(id);
    const preview = await app.previewVerdict(action, run.id, { ...selection, ...reopens, limit: shownPeople });
    const { held, acceptsRead } = preview;
    const isReopening = held.some(({ state }) => state === 'rejected');
    if (held.length > 0) shell.print(renderHeld(run, preview, shell.style));
    if (acceptsRead) shell.print(renderRead(run, shell.style));
    else if (run.facts.doubt !== undefined)
      shell.print(`the source of the run looks wrong: ${cleanLine(run.facts.doubt)}`);
    const what = held.length === 0 ? 'the read of this run' : formatCount(held.length, 'change');
    const question = `${action} ${what}${isReopening ? ', which a person rejected' : ''}?`;
    if (!(await shell.confirm(question, options.yes === true))) return printDeclined(shell);
    const report = await app[action](run.id, by, { ...selection, ...signed, ...reopens });
    return printVerdict(shell, action === 'approve' ? 'approved' : 'rejected', report, await leftIn(app, run));
  });
}

/** How many changes of the run still wait. */
async function leftIn(app: App, run: Run): Promise<number> {
  const { holds } = await app.holds({ sync: run.sync, limit: 0 });
  return Math.max(0, ...holds.filter(({ hold }) => hold.run === run.id).map(({ waiting }) => waiting));
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
function renderRead({ id, sync, facts, reason }: Run, { colors }: Style): string {
  const why = facts.doubt ?? reason;
  const { sourceRows } = facts;
  const rows = sourceRows === undefined ? '' : ` of ${formatCount(sourceRows, 'row')}`;
  return [
    colors.yellow(`the source of ${sync} looks wrong in run ${id}${why === undefined ? '' : `: ${cleanLine(why)}`}`),
    `approving accepts this read${rows}: later reads are compared with it`,
  ].join('\n');
}

function verdictOf({ state, decision }: HeldName): string[] {
  if (state !== 'rejected' || decision === undefined) return [];
  const why = decision.why === undefined ? '' : `: ${cleanLine(decision.why)}`;
  return [`rejected by ${cleanLine(decision.by ?? 'a person')}${why}`];
}

/** Prints the result of the decision. */
function printVerdict(shell: Shell, verdict: 'approved' | 'rejected', report: VerdictReport, left: number): number {
  const { run, sync, changes, isDeploymentRunning } = report;
  shell.printJson({ run, sync, verdict, changes, isDeploymentRunning });
  const what = changes === 0 ? `the read of run ${run}` : formatCount(changes, 'change');
  if (changes === 0 && verdict === 'approved') {
    shell.print(`approved ${what}: later reads are compared with it`);
    return 0;
  }
  if (verdict === 'rejected') {
    shell.print(`rejected ${what}: no run delivers or holds them again while their reason lasts`);
  } else if (isDeploymentRunning) {
    shell.print(`approved ${what}: the running deployment delivers them now, if they are still planned`);
  } else {
    shell.print(`approved ${what} for 24 h; to deliver them:  ${shell.style.command(`apply ${sync}`)}`);
  }
  if (left > 0)
    shell.print(
      `${formatCount(left, 'change of the run still waits', 'changes of the run still wait')}:  ${shell.style.command('holds')}`,
    );
  return 0;
}

/** Prints that the operator declined. */
export function printDeclined(shell: Shell): number {
  shell.print('nothing was changed');
  return 1;
}
