import { decisionAbout } from '../../core/plan/decision.ts';
import { notFound } from '../../core/run/errors.ts';
import type { HoldFacts, PlannedChange, Run } from '../../ports/store.ts';
import type { EngineIo } from '../../run/engine-io.ts';
import type { ChangeGroups, FoundChanges, FoundDecision } from '../../views/changes.ts';
import { findRun } from '../find-named.ts';
import {
  type ChangeFilter,
  type ChangeIndex,
  type ChangeSearch,
  type ChangesSubject,
  type GroupBy,
  groupRows,
  type IndexedChange,
  matchingRows,
  openChangeIndexes,
  type PlanRef,
  sortRows,
} from './change-index.ts';

const exportedAtOnce = 500;
/** Searches whose order is kept, so that the next page is a slice. */
const keptSearches = 30;

/** The changes that a search is about, before its filter. */
export interface SearchedChanges {
  readonly sync: string;
  readonly index: ChangeIndex;
  readonly isAmong: (row: IndexedChange) => boolean;
  readonly version: string;
}

export interface OpenedHold {
  readonly hold: HoldFacts;
  readonly run: Run;
  readonly isApprovable: boolean;
  readonly isWaiting: (row: IndexedChange) => boolean;
  readonly changes: SearchedChanges;
}

export interface ChangeSearches {
  search(subject: ChangesSubject, query: ChangeSearch): Promise<FoundChanges>;
  group(subject: ChangesSubject, filter: ChangeFilter, by: GroupBy): Promise<ChangeGroups>;
  /** Yields the matching changes, page by page from the store. */
  every(
    subject: ChangesSubject,
    query: Omit<ChangeSearch, 'offset' | 'limit'>,
    signal: AbortSignal,
  ): AsyncGenerator<readonly PlannedChange[], void>;
  hold(id: string): Promise<OpenedHold>;
}

/** Opens searches over the changes of runs, holds and shown plans. Throws `NOT_FOUND` for what does not exist. */
export function openChangeSearches(io: EngineIo): ChangeSearches {
  const indexes = openChangeIndexes(io);
  const { store } = io;
  const ordered = new Map<string, readonly IndexedChange[]>();
  const numbers = new WeakMap<ReadonlySet<string>, number>();
  let sets = 0;
  /** The store returns the same set for as long as nothing is decided. */
  const numberOf = (hashes: ReadonlySet<string>): number => {
    const number = numbers.get(hashes) ?? ++sets;
    numbers.set(hashes, number);
    return number;
  };

  const ofPlan = async (plan: PlanRef): Promise<SearchedChanges> => {
    const index = await indexes.of(plan);
    return { sync: plan.sync, index, isAmong: () => true, version: index.version };
  };

  const openHold = async (id: string): Promise<OpenedHold> => {
    const hold = await store.reports.hold(id);
    const run = hold && (await store.runs.get(hold.run));
    if (hold === undefined || run === undefined) {
      throw notFound(`there is no hold ${id}: see "rollcall holds"`);
    }
    const now = io.clock.now();
    const isApprovable = hold.state === 'open' && hold.expiresAt > now;
    const { index } = await ofPlan(planOf(run));
    const waiting = await store.reports.waitingHashes(hold.sync, now);
    const newer = await hashesOfNewer(hold, io);
    // Changes without a decision in time wait for the next run.
    const isOpen = isApprovable ? (hash: string) => waiting.has(hash) : await undecided(hold, index, io);
    const version = `${index.version} ${hold.id} ${numberOf(waiting)} ${newer.size} ${isApprovable}`;
    const isMember = (row: IndexedChange) => row.state === 'held' && row.classes.includes(hold.class);
    const isHere = (row: IndexedChange) => isMember(row) && !newer.has(row.hash);
    const isWaiting = (row: IndexedChange) => isHere(row) && isOpen(row.hash);
    // The people it held stay listed, with what was decided about each. What waits in a newer hold is listed there.
    const isAmong = hold.state === 'open' ? isHere : isMember;
    return { hold, run, isApprovable, isWaiting, changes: { sync: hold.sync, index, isAmong, version } };
  };

  const open = async ({ kind, id }: ChangesSubject): Promise<SearchedChanges> => {
    if (kind === 'hold') return (await openHold(id)).changes;
    if (kind === 'run') return ofPlan(planOf(await findRun(id, store)));
    const plan = (await store.previews.get(id))?.report?.id ?? id;
    const sync = await store.reports.shownPlan(plan);
    if (sync !== undefined) return ofPlan({ id: plan, sync, isFinal: true });
    throw notFound(`there is no plan ${id}: the id is wrong, or the plan is older than 7 days`);
  };

  const inOrder = (
    changes: SearchedChanges,
    { filter, sort, isDescending }: Omit<ChangeSearch, 'offset' | 'limit'>,
  ) => {
    const key = JSON.stringify([changes.version, filter, sort, isDescending]);
    const known = ordered.get(key);
    if (known !== undefined) return known;
    const rows = matchingRows(changes.index, filter, changes.isAmong);
    sortRows(rows, sort, isDescending);
    ordered.set(key, rows);
    for (const oldest of ordered.keys()) if (ordered.size > keptSearches) ordered.delete(oldest);
    return rows;
  };

  return {
    hold: openHold,

    async search(subject, query) {
      const changes = await open(subject);
      const rows = inOrder(changes, query);
      const shown = rows.slice(query.offset, query.offset + query.limit);
      const found = await readChanges(changes.index.plan, shown, io);
      const decisions = await findDecisions(changes.sync, found, io);
      const all =
        subject.kind === 'hold'
          ? inOrder(changes, { filter: {}, sort: 'identification', isDescending: false }).length
          : changes.index.rows.length;
      return {
        changes: found.map((change) => ({ change, decision: decisions.get(change.hash) })),
        total: rows.length,
        all,
        version: changes.version,
      };
    },

    async group(subject, filter, by) {
      const { index, isAmong } = await open(subject);
      return groupRows(matchingRows(index, filter, isAmong), by);
    },

    async *every(subject, query, signal) {
      const changes = await open(subject);
      const rows = inOrder(changes, query);
      for (let from = 0; from < rows.length; from += exportedAtOnce) {
        signal.throwIfAborted();
        yield await readChanges(changes.index.plan, rows.slice(from, from + exportedAtOnce), io);
      }
    },
  };
}

/** A run that has ended no longer changes the states of its plan, except for changes whose outcome is not known yet. */
function planOf({ id, sync, endedAt, counts }: Run): PlanRef {
  return { id, sync, isFinal: endedAt !== undefined && counts.unresolved === 0 };
}

/** Returns these changes of a plan, in their order. */
export async function readChanges(
  plan: string,
  rows: readonly Pick<PlannedChange, 'identification' | 'hash'>[],
  { store }: EngineIo,
): Promise<readonly PlannedChange[]> {
  const names = rows.map(({ identification }) => identification);
  const found = new Map((await store.plans.getMany(plan, names, 'all')).map((one) => [one.hash, one]));
  return rows.flatMap(({ hash }) => found.get(hash) ?? []);
}

/** Returns what was decided about the held and the rejected changes among these, and what became of them, by hash. */
export async function findDecisions(
  sync: string,
  changes: readonly PlannedChange[],
  { store }: EngineIo,
): Promise<ReadonlyMap<string, FoundDecision>> {
  const held = changes.filter(({ state, isRejected }) => state === 'held' || isRejected);
  if (held.length === 0) return new Map();
  const known = await store.decisions.ofMany(
    sync,
    held.map(({ identification }) => identification),
  );
  const decided = held.flatMap((change) => {
    const decision = decisionAbout(change, known.get(change.identification) ?? []);
    return decision === undefined ? [] : [{ change, decision }];
  });
  const ends = new Map<string, PlannedChange['state']>();
  for (const [run, some] of Map.groupBy(decided, ({ decision }) => decision.run)) {
    if (run === undefined) continue;
    const names = some.map(({ change }) => change.identification);
    for (const one of await store.plans.getMany(run, names, 'all')) ends.set(one.hash, one.state);
  }
  return new Map(decided.map(({ change: { hash }, decision }) => [hash, { ...decision, end: ends.get(hash) }]));
}

/** Returns the hashes of the changes that holds of newer runs have. Each change is listed in the hold of the newest run. */
export async function hashesOfNewer(
  { sync, run, expiresAt }: Pick<HoldFacts, 'sync' | 'run' | 'expiresAt'>,
  { store }: Pick<EngineIo, 'store'>,
): Promise<ReadonlySet<string>> {
  const open = await store.holds.listOpen(sync);
  const newer = open.filter((hold) => hold.run !== run && hold.expiresAt > expiresAt);
  const hashes = new Set<string>();
  for (const one of new Set(newer.map((hold) => hold.run))) {
    for (const { id } of await store.holds.ofRun(one)) {
      for await (const page of store.holds.hashes(id)) for (const hash of page) hashes.add(hash);
    }
  }
  return hashes;
}

/** Returns whether a change of a hold that has expired was never decided. */
async function undecided(
  { sync, class: held }: HoldFacts,
  { rows }: ChangeIndex,
  { store }: EngineIo,
): Promise<(hash: string) => boolean> {
  const names = rows.filter((row) => row.state === 'held' && row.classes.includes(held));
  const open = new Set<string>();
  for (let from = 0; from < names.length; from += exportedAtOnce) {
    const some = names.slice(from, from + exportedAtOnce);
    const known = await store.decisions.ofMany(
      sync,
      some.map(({ identification }) => identification),
    );
    for (const { identification, hash } of some) {
      const decision = known.get(identification)?.find((one) => one.hash === hash);
      if (decision?.state === 'open' && decision.endedAt === undefined) open.add(hash);
    }
  }
  return (hash) => open.has(hash);
}
