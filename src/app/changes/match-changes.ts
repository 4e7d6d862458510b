import { foldText } from '../../core/person/text.ts';
import type { ChangeGroups } from '../../views/changes.ts';
import type { ChangeIndex, IndexedChange } from './change-index.ts';
import type { ChangeFilter, ChangeSort, GroupBy } from './types.ts';

/** Returns the words of a search, folded. */
export function wordsOf(text = ''): readonly string[] {
  return foldText(text)
    .split(/\s+/)
    .filter((word) => word !== '');
}

/** Returns whether a change matches every part of the filter. */
export function matcherOf(filter: ChangeFilter): (row: IndexedChange) => boolean {
  const { kind, class: wanted, state, reason, field, value, text } = filter;
  const words = wordsOf(text);
  return (row) => {
    if (kind !== undefined && row.kind !== kind) return false;
    if (wanted !== undefined && !row.classes.includes(wanted)) return false;
    if (state !== undefined && row.state !== state) return false;
    if (reason !== undefined && row.reason !== reason) return false;
    if (field !== undefined && value === undefined && !row.changed.includes(field)) return false;
    if (field !== undefined && value !== undefined) {
      if ((row.values[field] ?? '') !== value && row.former[field] !== value) return false;
    }
    return words.every((word) => row.text.includes(word));
  };
}

/** Sorts rows in place. Equal ones stay in order of identification. */
export function sortRows(rows: IndexedChange[], sort: ChangeSort, isDescending: boolean): void {
  if (sort !== 'identification') {
    const keys = new Map(rows.map((row) => [row, foldText(sortKey(row, sort))]));
    // Blank values are last in both directions.
    rows.sort((a, b) => {
      const [x = '', y = ''] = [keys.get(a), keys.get(b)];
      if (x === y) return 0;
      if (x === '' || y === '') return x === '' ? 1 : -1;
      return x < y === isDescending ? 1 : -1;
    });
  } else if (isDescending) rows.reverse();
}

function sortKey(row: IndexedChange, sort: Exclude<ChangeSort, 'identification'>): string {
  if (sort === 'name') return `${row.values.lastName ?? ''}\n${row.values.firstName ?? ''}`.trim();
  if (sort === 'email' || sort === 'kind' || sort === 'reason') return row[sort];
  return row.values[sort] ?? '';
}

const mostGroups = 200;

/** Counts changes by a property, the largest group first. One change can be in several groups. */
export function groupRows(rows: readonly IndexedChange[], by: GroupBy): ChangeGroups {
  const counts = new Map<string, number>();
  for (const row of rows) for (const key of keysOf(row, by)) counts.set(key, (counts.get(key) ?? 0) + 1);
  const groups = [...counts]
    .map(([key, count]) => ({ key, count }))
    .sort((a, b) => b.count - a.count || (a.key < b.key ? -1 : 1));
  return { groups: groups.slice(0, mostGroups), total: rows.length, isCut: groups.length > mostGroups };
}

function keysOf(row: IndexedChange, by: GroupBy): readonly string[] {
  if (typeof by === 'object') return [row.values[by.value] ?? ''];
  if (by === 'class') return row.classes;
  return by === 'field' ? row.changed : [row[by]];
}

/** Returns the rows of an index that match, in order of identification. */
export function matchingRows(
  { rows }: ChangeIndex,
  filter: ChangeFilter,
  isAmong: (row: IndexedChange) => boolean = () => true,
): IndexedChange[] {
  const isMatch = matcherOf(filter);
  return rows.filter((row) => isAmong(row) && isMatch(row));
}
