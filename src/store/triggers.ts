import type { Selectable } from 'kysely';
import type { RunScope, Trigger, TriggerState, Triggers } from '../ports/store.ts';
import type { Database } from './database.ts';
import type { TriggerRow } from './schema.ts';

export function createTriggers(db: Database): Triggers {
  return {
    async add(trigger) {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('triggers')
        .values({
          id: trigger.id,
          sync: trigger.sync,
          kind: trigger.kind,
          key: trigger.key,
          requested_at: trigger.requestedAt,
          scope: JSON.stringify(trigger.scope),
          scope_key: scopeKey(trigger.scope),
        })
        .onConflict((conflict) => conflict.column('key').doNothing())
        .executeTakeFirst();
      return (numInsertedOrUpdatedRows ?? 0n) > 0n;
    },

    async waiting(sync) {
      const rows = await waitingRows(db, sync);
      // Only the oldest of triggers with equal scope is returned: the run that takes it takes all of them.
      const oldest = new Map(rows.toReversed().map((row) => [JSON.stringify([row.sync, row.scope_key]), row.id]));
      const shown = new Set(oldest.values());
      return rows.filter((row) => shown.has(row.id)).map(toTrigger);
    },

    async waitingSyncs() {
      const rows = await db
        .selectFrom('triggers')
        .select('sync')
        .distinct()
        .where('state', '=', 'waiting')
        .where('sync', 'not in', db.selectFrom('pauses').select('sync'))
        .orderBy('sync')
        .execute();
      return rows.map(({ sync }) => sync);
    },

    async state(id) {
      const row = await db.selectFrom('triggers').select(['state', 'run']).where('id', '=', id).executeTakeFirst();
      return row && toState(row);
    },

    async get(id) {
      const row = await db.selectFrom('triggers').selectAll().where('id', '=', id).executeTakeFirst();
      return row && { trigger: toTrigger(row), state: toState(row) };
    },

    async find(key) {
      const row = await db.selectFrom('triggers').selectAll().where('key', '=', key).executeTakeFirst();
      return row && { trigger: toTrigger(row), state: toState(row) };
    },

    async requestedAt(run) {
      const row = await db
        .selectFrom('triggers')
        .select('requested_at')
        .where('run', '=', run)
        .orderBy('requested_at')
        .limit(1)
        .executeTakeFirst();
      return row && Number(row.requested_at);
    },

    async lastSlot(sync) {
      const row = await db
        .selectFrom('triggers')
        .select('requested_at')
        .where('sync', '=', sync)
        .where('kind', '=', 'schedule')
        .orderBy('requested_at', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row && Number(row.requested_at);
    },

    async cancel(id) {
      const { numUpdatedRows } = await db
        .updateTable('triggers')
        .set({ state: 'cancelled' })
        .where('id', '=', id)
        .where('state', '=', 'waiting')
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
  };
}

/** Waiting triggers, oldest first, including those that wait behind another of equal scope. */
export function waitingRows(db: Database, sync?: string): Promise<Selectable<TriggerRow>[]> {
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
export function widestScope(rows: readonly Pick<Selectable<TriggerRow>, 'scope'>[]): string | undefined {
  return rows.map(({ scope }) => scope).find(isFull);
}

function isFull(text: string): boolean {
  const scope = JSON.parse(text) as RunScope;
  return scope.kind === 'all' && scope.isFull === true;
}

/** A trigger that requests a full read has the same scope key as one that does not: see `widestScope`. */
function scopeKey(scope: RunScope): string {
  return scope.kind === 'all' ? 'all' : `users:${JSON.stringify([...new Set(scope.identifications)].sort())}`;
}

function toState({ state, run }: Pick<Selectable<TriggerRow>, 'state' | 'run'>): TriggerState {
  if (state === 'taken' && run !== null) return { kind: 'taken', run };
  return { kind: state === 'cancelled' ? 'cancelled' : 'waiting' };
}

function toTrigger(row: Selectable<TriggerRow>): Trigger {
  const { id, sync, kind, key } = row;
  return { id, sync, kind, key, requestedAt: Number(row.requested_at), scope: JSON.parse(row.scope) as RunScope };
}
