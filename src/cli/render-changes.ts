import type { ChangeKind } from '../core/plan/change.ts';
import { differencesOf, type FieldDifference } from '../core/plan/field-differences.ts';
import type { PlannedChange } from '../ports/store.ts';
import type { Colors, Style } from './style.ts';
import { cleanLine, quote } from './terminal-text.ts';

/** Renders changes with their fields. `shownElsewhere`: reasons that the report shows elsewhere. */
export function renderChanges(
  changes: readonly PlannedChange[],
  shownElsewhere: readonly string[],
  style: Style,
): string {
  return changes.map((change) => renderChange(change, shownElsewhere, style)).join('\n');
}

function renderChange(change: PlannedChange, shownElsewhere: readonly string[], { colors }: Style): string {
  const { identification, kind, reason, state, stateReason } = change;
  const why =
    stateReason === undefined || shownElsewhere.some((shown) => shown.startsWith(stateReason))
      ? ''
      : `: ${cleanLine(stateReason)}`;
  const stateText = state === 'planned' ? '' : `  ${stateColor(state, colors)(`[${state}${why}]`)}`;
  const head = `${kindColor(kind, colors)(kind)} ${colors.bold(cleanLine(identification))}  ${cleanLine(reason)}${stateText}`;
  return [head, ...differencesOf(change).map((difference) => `  ${renderDifference(kind, difference)}`)].join('\n');
}

/** Renders `area: "Sales" → "Finance"`, `job: (not shown) → "Clerk"`, `phoneNumber: (not shown) → (cleared)`. */
export function renderDifference(kind: ChangeKind, { field, before, after }: FieldDifference): string {
  if (kind === 'create') return `${field}: ${quote(after)}`;
  const from = before === undefined ? '(not shown)' : before === '' ? '(empty)' : quote(before);
  return `${field}: ${from} → ${after === '' ? '(cleared)' : quote(after)}`;
}

function kindColor(kind: ChangeKind, colors: Colors): (text: string) => string {
  if (kind === 'create' || kind === 'enable') return colors.green;
  return kind === 'update' ? colors.cyan : colors.red;
}

function stateColor(state: PlannedChange['state'], colors: Colors): (text: string) => string {
  if (state === 'failed') return colors.red;
  return state === 'applied' || state === 'exported' ? colors.green : colors.yellow;
}
