import type { App, VerdictReport } from '../app/app.ts';
import type { PlannedChange, Run } from '../ports/store.ts';
import { formatCount, formatNumber } from './amounts.ts';
import { renderTable } from './render-table.ts';
import type { Shell } from './shell.ts';
import type { Style } from './style.ts';
import { cleanLine } from './terminal-text.ts';

const shownPeople = 50;

export interface VerdictOptions {
  readonly yes?: boolean;
}

/** Shows the held changes of a run and asks for confirmation. Returns undefined when the operator declines. */
export async function askAboutHeld(
  { shell, app }: { readonly shell: Shell; readonly app: App },
  id: string,
  verb: string,
  { yes = false }: VerdictOptions,
): Promise<Run | undefined> {
  const { run } = await app.show(id);
  const held = await app.changes(run.id, { states: ['held'], limit: shownPeople });
  shell.print(renderHeld(run, held, shell.style));
  const question = `${verb} ${held.length === 0 ? 'the read of this run' : formatCount(run.counts.held, 'change')}?`;
  return (await shell.confirm(question, yes)) ? run : undefined;
}

/** Renders the held changes of a run: kind, identification, reason. */
export function renderHeld(run: Run, held: readonly PlannedChange[], { colors }: Style): string {
  if (held.length === 0) return `run ${run.id} of ${run.sync} holds no change`;
  const rows = held.map(({ kind, identification, reason }) => [
    kind,
    colors.bold(cleanLine(identification)),
    cleanLine(reason),
  ]);
  const rest = run.counts.held - held.length;
  const more = rest > 0 ? [colors.dim(`  … and ${formatNumber(rest)} more`)] : [];
  return [`held in run ${run.id} of ${run.sync}:`, renderTable(rows, '  '), ...more].join('\n');
}

/** Prints the result of the decision. */
export function printVerdict(shell: Shell, verdict: 'approved' | 'rejected', report: VerdictReport): number {
  const { run, sync, changes, isDeploymentRunning } = report;
  shell.printJson({ run, sync, verdict, changes, isDeploymentRunning });
  const what = changes === 0 ? `the read of run ${run}` : formatCount(changes, 'change');
  if (verdict === 'rejected') {
    shell.print(`rejected ${what}: they are not held again for 7 days, or until they change`);
  } else if (isDeploymentRunning) {
    shell.print(`approved ${what}: the running deployment delivers them now, if they are still planned`);
  } else {
    shell.print(`approved ${what} for 24 h; to deliver them:  ${shell.style.command(`apply ${sync}`)}`);
  }
  return 0;
}

/** Prints that the operator declined. */
export function printDeclined(shell: Shell): number {
  shell.print('nothing was changed');
  return 1;
}
