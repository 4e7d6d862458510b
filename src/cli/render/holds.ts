import { classNoun } from '../../core/guard/guard.ts';
import { differencesOf } from '../../core/plan/change.ts';
import { formatCount, formatInstant, formatNumber } from '../../core/run/formats.ts';
import type { PlannedChange } from '../../ports/store.ts';
import { personOf } from '../../views/changes.ts';
import type { HoldsReport, OpenHold } from '../../views/holds.ts';
import type { Style } from '../terminal.ts';
import { cleanLine, renderTable } from '../terminal.ts';
import { renderDifference } from './changes.ts';
import { renderBudget } from './counts.ts';

/** One line per person, kind, identification, name, e-mail and why, and under it the fields that change. */
export function renderHeldPeople(changes: readonly PlannedChange[], style: Style): string {
  const rows = changes.map((change) => {
    const { name = '', email = '' } = personOf(change);
    const { kind, identification, reason } = change;
    const cells = [kind, style.colors.bold(cleanLine(identification)), cleanLine(name), cleanLine(email)];
    return [...cells, `${cleanLine(reason)}${becomes(change)}`];
  });
  const lines = renderTable(rows, '  ').split('\n');
  return lines.flatMap((line, i) => [line, ...fieldsOf(changes[i])]).join('\n');
}

/** What a change without fields does to the account. */
function becomes({ kind, before }: PlannedChange): string {
  const from = before?.enabled === false ? 'disabled' : 'enabled';
  if (kind === 'disable') return ` (${from} → disabled)`;
  if (kind === 'enable') return ` (${from} → enabled)`;
  return kind === 'remove' ? ` (${from} → removed)` : '';
}

function fieldsOf(change: PlannedChange | undefined): string[] {
  if (change === undefined) return [];
  return differencesOf(change).map((difference) => `      ${renderDifference(change.kind, difference)}`);
}

/** Everything that waits for approval, hold by hold, with the commands that decide it. */
export function renderHolds({ holds, reads }: HoldsReport, style: Style): string {
  if (holds.length === 0 && reads.length === 0) return 'No changes are waiting for approval.';
  const sections = holds.map((hold) => renderHold(hold, style));
  for (const { sync, run, reason } of reads) {
    const head = `${style.colors.bold(sync)}: ${style.colors.yellow('the source looks wrong')} in run ${run}`;
    const commands = renderTable([['to see why:', style.command(`show ${run}`)], ...commandsOf(run, '', style)], '  ');
    sections.push([head, ...(reason === undefined ? [] : [`  ${cleanLine(reason)}`]), commands].join('\n'));
  }
  return sections.join('\n\n');
}

function renderHold({ hold, isApprovable, waiting, budget, changes }: OpenHold, style: Style): string {
  const { sync, run, class: held, reason, heldAt, expiresAt } = hold;
  const { colors } = style;
  const head = `${colors.bold(sync)}: ${colors.yellow(`${formatCount(waiting, classNoun[held])} held`)} in run ${run}`;
  const until = isApprovable
    ? `held since ${formatInstant(heldAt)}, may be approved until ${formatInstant(expiresAt)}`
    : `expired ${formatInstant(expiresAt)}: the next run asks again`;
  const rest = waiting - changes.length;
  const next: [string, string][] = isApprovable
    ? commandsOf(run, ` --only ${held}`, style)
    : [['to ask again:', style.command(`apply ${sync}`)]];
  return [
    head,
    `  ${cleanLine(reason)}`,
    `  ${until}`,
    ...(budget === undefined || !isApprovable ? [] : [`  a run that delivers all of it: ${renderBudget(budget)}`]),
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
