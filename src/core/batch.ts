import type { Change } from './change.ts';
import { isDirectlyDeliverable } from './change.ts';
import { customFieldNumber, type FieldName, type FieldValues, fieldTable, fieldTraits } from './fields.ts';
import type { Dialect, SyncSettings } from './settings.ts';

/** How one change travels. A disable or enable that cannot go directly never becomes anything else. */
export type Route = 'csv' | 'direct' | 'outbox' | 'none';

/** `auto` sends at most this many creates and updates by direct calls instead of a file. */
export const autoDirectLimit = 20;

export interface RouteFacts {
  readonly delivery: SyncSettings['delivery'];
  /** For `auto`: whether all creates and updates of the plan are few and none needs CSV. */
  readonly isSmallAndDirect: boolean;
  /** `dialect.customFieldLimit.direct`; the contract's own limit when absent. */
  readonly highestCustomField?: number;
}

/** Design, section 6: `auto`, `csv` and `direct` send removes by DELETE; enable and disable exist in CSV only. */
export function routeOf(change: Pick<Change, 'kind' | 'after'>, facts: RouteFacts): Route {
  if (facts.delivery === 'outbox') return change.kind === 'remove' ? 'none' : 'outbox';
  if (change.kind === 'remove') return 'direct';
  if (facts.delivery === 'direct') return isDirectlyDeliverable(change, facts.highestCustomField) ? 'direct' : 'none';
  if (facts.delivery === 'auto' && facts.isSmallAndDirect && isDirectlyDeliverable(change, facts.highestCustomField))
    return 'direct';
  return 'csv';
}

/**
 * Changes that may share a file. A column in use is a cell in every row, and an empty cell clears: so rows that write
 * different write-only fields must not meet in one file, unless the dialect keeps empty cells. Nor must a row that keeps
 * a date which nobody can read (it may be empty, or in a form not understood) meet one that writes that date.
 * `mapped`: the fields that the mapping names.
 */
export function fileGroup(change: Change, dialect: Dialect, mapped: readonly FieldName[] = []): string {
  if (change.kind === 'disable') return 'D';
  if (dialect.csv.emptyCell === 'keeps') return 'IU';
  const written = fieldTable.filter(({ name, isReadable }) => !isReadable && change.after[name] !== undefined);
  const { before } = change;
  const keptUnseen = mapped.filter((name) => {
    return (
      before !== undefined && fieldTraits(name).isDate && carriedValue(change, name) === '' && !(name in change.after)
    );
  });
  return `IU:${[...written.map(({ name }) => name), ...keptUnseen.map((name) => `-${name}`)].join('+')}`;
}

/** The columns of a file: those that any row writes, and no other; all of them where the dialect wants the full header. */
export function fileColumns(changes: readonly Change[], dialect: Dialect): FieldName[] {
  if (dialect.csv.header === 'full') {
    return fieldTable.map(({ name }) => name).filter((name) => customFieldNumber(name) <= dialect.customFieldLimit.csv);
  }
  const used = new Set<FieldName>(['firstName', 'lastName']);
  for (const change of changes) for (const name of Object.keys(change.after) as FieldName[]) used.add(name);
  return fieldTable.map(({ name }) => name).filter((name) => used.has(name));
}

/** What a row or a PUT carries for a field: what is written, else what the platform shows, so that nothing is cleared. */
export function carriedValue(change: Change, name: FieldName): string {
  return change.after[name] ?? change.before?.fields[name] ?? '';
}

/** The fields of a direct write: everything written, and the readable rest that a replacing PUT would clear. */
export function directFields(change: Change, dialect: Dialect): FieldValues {
  const values: Partial<Record<FieldName, string>> = {};
  for (const { name, isDirect } of fieldTable) {
    if (!isDirect || customFieldNumber(name) > dialect.customFieldLimit.direct) continue;
    const value = change.after[name] ?? change.before?.fields[name];
    if (value === undefined || (change.kind === 'create' && value === '')) continue;
    values[name] = value;
  }
  return values;
}

/** Cuts a list into pieces of at most `size`. */
export function chunk<T>(items: readonly T[], size: number): T[][] {
  const pieces: T[][] = [];
  for (let start = 0; start < items.length; start += size) pieces.push(items.slice(start, start + size));
  return pieces;
}
