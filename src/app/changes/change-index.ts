import type { FieldName } from '../../core/person/fields.ts';
import { foldText } from '../../core/person/text.ts';
import type { ChangeClass, ChangeKind } from '../../core/plan/change.ts';
import { fileGroup, routeOf } from '../../core/run/batch.ts';
import { usageError } from '../../core/run/errors.ts';
import type { ChangeState } from '../../core/run/run.ts';
import type { PlannedChange } from '../../ports/store.ts';
import type { EngineIo, Sync } from '../../run/engine-io.ts';
import { changesOf } from '../../run/plan-changes.ts';
import type { ChangeGroups } from '../../views/changes.ts';

/** Which changes of a plan. Every given part must match. */
export interface ChangeFilter {
  readonly kind?: ChangeKind;
  readonly class?: ChangeClass;
  readonly state?: ChangeState;
  readonly reason?: string;
  /** A field that the change writes with another value. With `value`: a field of the person, before or after. */
  readonly field?: FieldName;
  readonly value?: string;
  /** Words that the person or a value contains, in any order, without case and accents. */
  readonly text?: string;
}

/** What is searched: the changes of a run, of a plan that was only shown, or those that wait in a hold. */
export interface ChangesSubject {
  readonly kind: 'run' | 'hold' | 'preview';
  readonly id: string;
}

export type ChangeSort = 'identification' | 'name' | 'email' | 'kind' | 'reason' | FieldName;

export interface ChangeSearch {
  readonly filter: ChangeFilter;
  readonly sort: ChangeSort;
  readonly isDescending: boolean;
  readonly offset: number;
  readonly limit: number;
}

export type GroupBy = 'reason' | 'rule' | 'kind' | 'class' | 'state' | 'field' | { readonly value: FieldName };

/** Which changes of a hold, and how many the operator saw. */
export interface HoldSelection {
  readonly ids?: readonly string[];
  readonly except?: readonly string[];
  readonly filter?: ChangeFilter;
  readonly expect?: number;
}

/** One change as searches need it. Holds personal data, in memory only. */
export interface IndexedChange {
  readonly identification: string;
  readonly kind: ChangeKind;
  readonly classes: readonly ChangeClass[];
  readonly state: ChangeState;
  readonly isRejected: boolean;
  readonly hash: string;
  readonly rule: string;
  readonly reason: string;
  readonly changed: readonly FieldName[];
  readonly name: string;
  readonly email: string;
  /** The value that the account gets, else the one that it has. */
  readonly values: Readonly<Partial<Record<FieldName, string>>>;
  /** The former values of fields that change. */
  readonly former: Readonly<Partial<Record<FieldName, string>>>;
  /** Every word of the person and of the values, folded. */
  readonly text: string;
  /** Changes with the same key can share a file. `none`: not deliverable. */
  readonly file: string;
}

/** The changes of one plan, in order of identification. */
export interface ChangeIndex {
  readonly plan: string;
  /** Equal for equal content. */
  readonly version: string;
  readonly rows: readonly IndexedChange[];
}

export interface PlanRef {
  readonly id: string;
  readonly sync: string;
  /** Whether states of its changes can still change. */
  readonly isFinal: boolean;
}

/** Largest plan that can be searched, and the changes of all cached ones. One takes about half a kilobyte. */
const mostRows = 250_000;
const keptMs = 600_000;
/** The states of a run in progress may be this much older than the answer. */
const freshMs = 2000;

/**
 * Opens the searches of a process. The values of a change may be sealed in the store, so no database can search them:
 * the changes of a plan are read once, and kept while they are looked at. Throws `USAGE` for a plan with too many changes.
 */
export function openChangeIndexes(io: EngineIo) {
  const kept = new Map<
    string,
    { readonly index: Promise<ChangeIndex>; readonly madeAt: number; usedAt: number; rows: number }
  >();

  const tidy = (now: number): void => {
    for (const [id, { usedAt }] of kept) if (now - usedAt > keptMs) kept.delete(id);
    let sum = 0;
    for (const [id, { rows }] of [...kept].reverse()) {
      sum += rows;
      if (sum > mostRows) kept.delete(id);
    }
  };

  return {
    of(plan: PlanRef): Promise<ChangeIndex> {
      const now = io.clock.now();
      const key = `${plan.id} ${plan.isFinal}`;
      const known = kept.get(key);
      if (known !== undefined && (plan.isFinal || Math.abs(now - known.madeAt) < freshMs)) {
        kept.delete(key);
        kept.set(key, { ...known, usedAt: now });
        return known.index;
      }
      const index = readIndex(plan, io, now);
      const entry = { index, madeAt: now, usedAt: now, rows: 0 };
      kept.set(key, entry);
      index.then(
        ({ rows }) => {
          const current = kept.get(key);
          if (current?.index === index) current.rows = rows.length;
          tidy(now);
        },
        () => kept.delete(key),
      );
      return index;
    },
  };
}

async function readIndex({ id, sync: name, isFinal }: PlanRef, io: EngineIo, now: number): Promise<ChangeIndex> {
  const sync = io.syncs.get(name);
  const intern = openIntern();
  const rows: IndexedChange[] = [];
  for await (const change of changesOf(id, io, {})) {
    rows.push(indexed(change, sync, intern));
    if (rows.length > mostRows) {
      const message = `the plan has more than ${mostRows} changes: export them, or list them by state and class`;
      throw usageError(message);
    }
  }
  return { plan: id, version: isFinal ? `${id} ${rows.length}` : `${id} ${now}`, rows };
}

/** Returns one copy of equal texts: offices and reasons repeat a hundred thousand times. */
function openIntern(): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    known.set(text, text);
    return text;
  };
}

function indexed(change: PlannedChange, sync: Sync | undefined, intern: (text: string) => string): IndexedChange {
  const { identification, kind, classes, state, isRejected, hash, rule, reason, changed, before, after } = change;
  const values: Partial<Record<FieldName, string>> = {};
  const former: Partial<Record<FieldName, string>> = {};
  for (const [field, value] of Object.entries({ ...before?.fields, ...after }) as [FieldName, string][]) {
    if (value !== '') values[field] = intern(value);
  }
  for (const field of changed) {
    const value = before?.fields[field] ?? '';
    if (value !== '') former[field] = intern(value);
  }
  const name = `${values.firstName ?? ''} ${values.lastName ?? ''}`.trim();
  const texts = [identification, name, ...Object.values(values), ...Object.values(former)];
  return {
    identification,
    kind,
    classes,
    state,
    isRejected,
    hash,
    rule: intern(rule),
    reason: intern(reason),
    changed,
    name,
    email: values.email ?? '',
    values,
    former,
    text: foldText(texts.join('\n')),
    file: intern(sync === undefined ? 'none' : fileOf(change, sync)),
  };
}

function fileOf(change: PlannedChange, { settings, dialect, mapping }: Sync): string {
  const route = routeOf(change, { delivery: settings.delivery, isSmallAndDirect: false, dialect });
  return route === 'csv' || route === 'outbox' ? `${route} ${fileGroup(change, dialect, mapping.fields)}` : route;
}

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
