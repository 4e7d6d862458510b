import {
  customFieldNumber,
  type FieldName,
  type FieldTraits,
  type FieldValues,
  fieldTable,
  fieldTraits,
} from '../person/fields.ts';
import { type Change, isDirectlyDeliverable, partOf, platformKey } from '../plan/change.ts';
import type { Dialect, SyncSettings } from './settings.ts';

/** How one change is delivered. A disable or enable that has no direct call is never sent as another kind of change. */
export type Route = 'csv' | 'direct' | 'outbox' | 'leaders' | 'none';

/** With `auto`, at most this many creates and updates are sent by direct calls instead of a file. */
export const autoDirectLimit = 20;

/** Returns whether a run is about so few accounts that each is read before its change is sent. */
export function isSmallRun(batches: readonly { readonly kind: Route; readonly size: number }[]): boolean {
  const sizes = batches.flatMap(({ kind, size }) => (kind === 'leaders' ? [] : [size]));
  return sizes.reduce((sum, size) => sum + size, 0) <= autoDirectLimit;
}

export interface RouteFacts {
  readonly delivery: SyncSettings['delivery'];
  /** For `auto`: the plan has few creates and updates, and none of them needs CSV. */
  readonly isSmallAndDirect: boolean;
  readonly dialect: Pick<Dialect, 'put' | 'csv' | 'mayClear' | 'customFieldLimit'>;
}

/**
 * Returns the route of a change. Design, section 6: `auto`, `csv` and `direct` send removes by DELETE; enable and
 * disable exist in CSV only. An update of a disabled account goes by call: a row of a file enables the account. A way
 * that would clear a value which is not known is never taken.
 */
export function routeOf(change: Pick<Change, 'kind' | 'after' | 'before'>, facts: RouteFacts): Route {
  const { delivery, dialect } = facts;
  if (partOf(change) === 'leaders') return 'leaders';
  const isSafe = keepsUnknown(change, dialect);
  const mayCall = isSafe.byCall && isDirectlyDeliverable(change, dialect.customFieldLimit.direct);
  const isCallOnly = change.kind === 'remove' || (change.kind === 'update' && change.before?.enabled === false);
  if (isCallOnly) return delivery === 'outbox' || !isSafe.byCall ? 'none' : 'direct';
  if (delivery === 'outbox') return isSafe.byFile ? 'outbox' : 'none';
  if (delivery === 'direct') return mayCall ? 'direct' : 'none';
  const isCalled = delivery === 'auto' && mayCall;
  if (isSafe.byFile) return isCalled && facts.isSmallAndDirect ? 'direct' : 'csv';
  return isCalled ? 'direct' : 'none';
}

/** Returns whether a small plan may go by calls, as far as this change is concerned. */
export function needsFile(change: Pick<Change, 'kind' | 'after' | 'before'>, dialect: RouteFacts['dialect']): boolean {
  return routeOf(change, { delivery: 'auto', isSmallAndDirect: true, dialect }) === 'csv';
}

/**
 * Returns the fields whose value nothing shows, and that the write does not carry: neither the platform nor the ledger
 * knows what a write that clears what it leaves out would clear. Without those that `dialect.mayClear` allows.
 */
export function unknownFields(
  { kind, after, before }: Pick<Change, 'kind' | 'after' | 'before'>,
  { mayClear }: Pick<Dialect, 'mayClear'>,
): readonly FieldName[] {
  if (kind !== 'update' && kind !== 'enable') return [];
  const isUnseen = ({ name, isReadable }: FieldTraits) => !isReadable || before?.unreadable?.includes(name) === true;
  return fieldTable
    .filter((field) => isUnseen(field) && after[field.name] === undefined && !mayClear.includes(field.name))
    .map(({ name }) => name);
}

/** Whether a file clears every field that its row does not carry. */
function clearsByFile({ header, emptyCell }: Dialect['csv']): boolean {
  return header === 'full' && emptyCell === 'clears';
}

/** Returns which ways of delivery clear no unknown value of the change's account. */
function keepsUnknown(
  change: Pick<Change, 'kind' | 'after' | 'before'>,
  { put, csv, mayClear }: RouteFacts['dialect'],
): { readonly byFile: boolean; readonly byCall: boolean } {
  const isFileClearing = clearsByFile(csv);
  if (!isFileClearing && put !== 'replaces') return { byFile: true, byCall: true };
  const isKnown = unknownFields(change, { mayClear }).length === 0;
  return { byFile: isKnown || !isFileClearing, byCall: isKnown || put !== 'replaces' };
}

/**
 * Returns a key; only changes with the same key share a file. A column in use is a cell in every row, and an empty cell
 * clears the field. So rows that write different write-only fields need separate files, unless the dialect keeps empty
 * cells. A row that keeps an unreadable date must not share a file with a row that writes that date. Such a date is
 * empty or in an unknown format. `mapped`: the fields that the mapping names.
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

/**
 * Returns the columns of a file: the fields that at least one row writes. Returns all fields where the dialect requires
 * the full header.
 */
export function fileColumns(changes: readonly Change[], dialect: Dialect): FieldName[] {
  if (dialect.csv.header === 'full') {
    return fieldTable.map(({ name }) => name).filter((name) => customFieldNumber(name) <= dialect.customFieldLimit.csv);
  }
  const used = new Set<FieldName>(['firstName', 'lastName']);
  for (const change of changes) for (const name of Object.keys(change.after) as FieldName[]) used.add(name);
  return fieldTable.map(({ name }) => name).filter((name) => used.has(name));
}

/** Returns the ways of delivery whose writes clear every field that they do not carry. */
export function clearingWrites(
  { delivery, parkEmail }: Pick<SyncSettings, 'delivery' | 'parkEmail'>,
  { csv, put }: Pick<Dialect, 'csv' | 'put'>,
): { readonly byFile: boolean; readonly byCall: boolean } {
  // With `parkEmail`, accounts of leavers are updated by call whatever the delivery.
  const mayCall = delivery === 'direct' || delivery === 'auto' || (delivery === 'csv' && parkEmail !== undefined);
  return {
    byFile: delivery !== 'direct' && clearsByFile(csv),
    byCall: mayCall && put === 'replaces',
  };
}

/**
 * Returns the value of a field in a row or a PUT: the written value, else the value that the platform shows, so that
 * the field is not cleared.
 */
export function carriedValue(change: Change, name: FieldName): string {
  return change.after[name] ?? change.before?.fields[name] ?? '';
}

/**
 * Returns the fields of a direct write: all written fields, and the other readable fields, which a replacing PUT would
 * clear.
 */
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

/** Splits a list into pieces of at most `size` items. */
export function chunk<T>(items: readonly T[], size: number): T[][] {
  const pieces: T[][] = [];
  for (let start = 0; start < items.length; start += size) pieces.push(items.slice(start, start + size));
  return pieces;
}

/** A partial-provisioning file before it is written: header and rows of cells (contract, POST admin/userFiles). */
interface FileRows {
  readonly header: readonly string[];
  readonly rows: Iterable<readonly string[]>;
}

/** Builds the rows of one file. Iterating the rows throws for a remove, because files cannot carry it. */
export function buildFileRows(changes: readonly Change[], dialect: Dialect): FileRows {
  const columns = fileColumns(changes, dialect);
  const plain = columns.filter((name) => !name.startsWith('customField'));
  const custom = columns.filter((name) => name.startsWith('customField'));
  function* rows(): Generator<readonly string[]> {
    for (const change of changes) {
      const cells = (names: readonly FieldName[]) => names.map((name) => cellOf(change, name, dialect));
      yield [commandOf(change, dialect), ...cells(plain), platformKey(change), ...cells(custom)];
    }
  }
  return { header: ['command', ...plain, 'identification', ...custom], rows: rows() };
}

function cellOf(change: Change, name: FieldName, dialect: Dialect): string {
  const value = carriedValue(change, name);
  return fieldTraits(name).isDate ? formatDate(value, dialect.csv.dateFormat) : value;
}

/** Formats `YYYY-MM-DD` in the dialect's date format: the letters `yyyy`, `MM` and `dd` in any order. */
export function formatDate(value: string, format: string): string {
  const [year, month, day] = value.split('-');
  if (year === undefined || month === undefined || day === undefined) return value;
  return format.replace('yyyy', year).replace('MM', month).replace('dd', day);
}

function commandOf(change: Change, dialect: Dialect): 'I' | 'U' | 'D' {
  switch (change.kind) {
    case 'create':
      return 'I';
    case 'update':
      return 'U';
    case 'enable':
      return dialect.enableBy;
    case 'disable':
      return 'D';
    case 'remove':
    case 'lead':
    case 'unlead':
      throw new RangeError(`a ${change.kind} cannot be written to a file`);
  }
}
