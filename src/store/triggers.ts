import type { Insertable, Selectable } from 'kysely';
import { joinNamed } from '../core/run/next-read.ts';
import type { KeyedTrigger, RunScope, Trigger, TriggerKind, TriggerState, Triggers } from '../ports/store.ts';
import { appendAudit } from './audit/chain.ts';
import { type Database, inTransaction, type OpenTransaction, type Schema } from './db/database.ts';
import { fields } from './db/fields.ts';
import { addNew, inLists } from './db/row-writer.ts';
import { findPause } from './operations.ts';

const triggers = fields<Trigger, 'triggers'>(
  'triggers',
  { scope_key: null, state: null, run: null, requester: null },
  { scope: 'json' },
);

export function createTriggers(db: Database): Triggers {
  return {
    async add(trigger, entry, unlessPaused = false) {
      if (trigger.kind === 'schedule' && (await hasLaterSlot(db, trigger))) return false;
      const requester = entry?.by ?? null;
      const row = { ...triggers.toPatch(trigger), scope_key: scopeKey(trigger.scope), requester };
      const insert = (on: Database): Promise<boolean> =>
        addNew(on, 'triggers', row as Insertable<Schema['triggers']>, ['key']);
      if (entry === undefined) return insert(db);
      return inTransaction(db, async (transaction) => {
        const { sync, requestedAt } = trigger;
        if (unlessPaused && (await findPause(transaction, sync, requestedAt)) !== undefined) return false;
        const isNew = await insert(transaction);
        if (isNew) await appendAudit(transaction, entry);
        return isNew;
      });
    },

    async waiting(sync) {
      const rows = await waitingRows(db, sync);
      // Only the oldest of triggers with equal scope is returned: the run that takes it takes all of them.
      const oldest = new Map(rows.toReversed().map((row) => [JSON.stringify([row.sync, row.scope_key]), row.id]));
      const shown = new Set(oldest.values());
      return rows.filter((row) => shown.has(row.id)).map(triggers.fromRow);
    },

    async waitingSyncs(now) {
      const rows = await db
        .selectFrom('triggers')
        .select((eb) => ['sync', eb.fn.min('requested_at').as('since')])
        .groupBy('sync')
        .where('state', '=', 'waiting')
        .where((eb) => eb.or([eb('kind', '!=', 'webhook'), eb('requested_at', '<=', now)]))
        .where(
          'sync',
          'not in',
          db
            .selectFrom('pauses')
            .select('sync')
            .where((eb) => eb.or([eb('until_at', 'is', null), eb('until_at', '>', now)])),
        )
        .orderBy('sync')
        .execute();
      return new Map(rows.map(({ sync, since }) => [sync, Number(since)]));
    },

    async state(id) {
      const row = await db.selectFrom('triggers').select(['state', 'run']).where('id', '=', id).executeTakeFirst();
      return row && toState(row);
    },

    get: (id) => findTrigger(db, 'id', id),
    find: (key) => findTrigger(db, 'key', key),

    async requestedAt(run) {
      const row = await db
        .selectFrom('triggers')
        .select('requested_at')
        .where('run', '=', run)
        .orderBy('requested_at')
        .limit(1)
        .executeTakeFirst();
      return row?.requested_at;
    },

    async requesters(run) {
      const rows = await db
        .selectFrom('triggers')
        .select('requester')
        .distinct()
        .where('run', '=', run)
        .where('requester', 'is not', null)
        .execute();
      return rows.flatMap(({ requester }) => requester ?? []);
    },

    async lastSlot(sync) {
      const row = await db
        .selectFrom('triggers')
        .select('requested_at')
        .where((eb) => eb.and({ sync, kind: 'schedule' }))
        .orderBy('requested_at', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row?.requested_at;
    },

    async cancel(id) {
      const { numUpdatedRows } = await db
        .updateTable('triggers')
        .set({ state: 'cancelled' })
        .where((eb) => eb.and({ id, state: 'waiting' }))
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
  };
}

/**
 * Returns whether a later slot of the sync is stored. Old triggers are deleted, so that a scheduler that stalled would add
 * a slot again.
 */
async function hasLaterSlot(db: Database, { sync, key }: Trigger): Promise<boolean> {
  const later = await db
    .selectFrom('triggers')
    .select('id')
    .where((eb) => eb.and({ sync, kind: 'schedule' }))
    .where('key', '>', key)
    // Slots from before a renaming begin with the former name.
    .where('key', 'like', `${sync}@%`)
    .limit(1)
    .executeTakeFirst();
  return later !== undefined;
}

async function findTrigger(db: Database, column: 'id' | 'key', value: string): Promise<KeyedTrigger | undefined> {
  const row = await db.selectFrom('triggers').selectAll().where(column, '=', value).executeTakeFirst();
  return row && { trigger: triggers.fromRow(row), state: toState(row) };
}

/** Waiting triggers, oldest first, including those that wait behind another of equal scope. */
function waitingRows(db: Database, sync?: string): Promise<Selectable<Schema['triggers']>[]> {
  return db
    .selectFrom('triggers')
    .selectAll()
    .where('state', '=', 'waiting')
    .$if(sync !== undefined, (query) => query.where('sync', '=', sync ?? ''))
    .orderBy('requested_at')
    .orderBy('id')
    .execute();
}

/** Returns the stored scope of a trigger that requests a full read; undefined when none does. */
function widestScope(rows: readonly Pick<Selectable<Schema['triggers']>, 'scope'>[]): string | undefined {
  return rows.map(({ scope }) => scope).find(isFull);
}

function isFull(text: string): boolean {
  const scope = JSON.parse(text) as RunScope;
  return scope.kind === 'all' && scope.isFull === true;
}

/** A trigger that requests a full read has the same scope key as one that does not: see `widestScope`. */
function scopeKey(scope: RunScope): string {
  if (scope.kind === 'all') return 'all';
  const undoes = scope.undoes === undefined ? '' : `undo:${JSON.stringify(scope.undoes)} `;
  const leavers = scope.leavers === undefined ? '' : `leavers:${scope.leavers.run} `;
  return `${undoes}${leavers}users:${JSON.stringify([...new Set(scope.identifications)].sort())}`;
}

function toState({ state, run }: Pick<Selectable<Schema['triggers']>, 'state' | 'run'>): TriggerState {
  if (state === 'taken' && run !== null) return { kind: 'taken', run };
  return { kind: state === 'cancelled' ? 'cancelled' : 'waiting' };
}

/**
 * Takes the waiting triggers of a sync that one run does together, unless the sync is paused. Returns them, and what the
 * run is then asked for; undefined when nothing waits.
 */
export async function takeTriggers(
  db: OpenTransaction,
  sync: string,
  { id: run, now }: { readonly id: string; readonly now: number },
): Promise<
  { readonly row: Pick<Schema['runs'], 'trigger_kind' | 'scope'>; readonly triggers: readonly string[] } | undefined
> {
  const waiting = (await waitingRows(db, sync)).filter(
    ({ kind, requested_at }) => kind !== 'webhook' || requested_at <= now,
  );
  const oldest = waiting[0];
  if (oldest === undefined) return undefined;
  if ((await findPause(db, sync, now)) !== undefined) return undefined;
  const taken = await assign(db, togetherWith(oldest, waiting), run);
  // They may have been canceled after they were read. The next call finds what is left.
  if (taken.length === 0) return undefined;
  const row = { trigger_kind: kindOf(taken.map(({ kind }) => kind)), scope: widestScope(taken) ?? joinedScope(taken) };
  return { row, triggers: taken.map(({ id }) => id) };
}

/** Returns the waiting triggers that one run does: all full ones, or those about named people. */
function togetherWith(
  oldest: Selectable<Schema['triggers']>,
  waiting: readonly Selectable<Schema['triggers']>[],
): readonly Selectable<Schema['triggers']>[] {
  const isNamed = scopeOf(oldest).kind === 'users';
  if (!isNamed) return waiting.filter(({ scope_key }) => scope_key === oldest.scope_key);
  const { joined } = joinNamed(waiting.map((row) => ({ row, scope: scopeOf(row) })));
  return joined.map(({ row }) => row);
}

/** Returns the stored scope of all people that the triggers name. */
function joinedScope(taken: readonly Selectable<Schema['triggers']>[]): string {
  const [first] = taken;
  if (first === undefined || taken.every(({ scope_key }) => scope_key === first.scope_key)) return first?.scope ?? '';
  const { identifications } = joinNamed(taken.map((row) => ({ scope: scopeOf(row) })));
  return JSON.stringify({ kind: 'users', identifications } satisfies RunScope);
}

function scopeOf({ scope }: Pick<Schema['triggers'], 'scope'>): RunScope {
  return JSON.parse(scope) as RunScope;
}

/** Assigns the triggers that still wait to the run. Returns them in the order of their requests. */
async function assign(
  db: OpenTransaction,
  wanted: readonly Selectable<Schema['triggers']>[],
  run: string,
): Promise<Selectable<Schema['triggers']>[]> {
  const taken = new Set<string>();
  for (const ids of inLists(wanted.map(({ id }) => id))) {
    const rows = await db
      .updateTable('triggers')
      .set({ state: 'taken', run })
      .where('id', 'in', ids)
      .where('state', '=', 'waiting')
      .returning('id')
      .execute();
    for (const { id } of rows) taken.add(id);
  }
  return wanted.filter(({ id }) => taken.has(id));
}

/** Manual triggers name the run before webhooks, and webhooks before the schedule. Among equals the oldest wins. */
const manualKinds: readonly TriggerKind[] = ['manual', 'resync', 'approval', 'retry', 'undo'];

function kindOf(kinds: readonly TriggerKind[]): TriggerKind {
  const manual = kinds.find((kind) => manualKinds.includes(kind));
  return manual ?? kinds.find((kind) => kind !== 'schedule') ?? 'schedule';
}
