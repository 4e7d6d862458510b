import type { Selectable } from 'kysely';
import type { Pause, Pauses } from '../ports/store.ts';
import type { Database } from './database.ts';
import type { PauseRow } from './schema.ts';

export function createPauses(db: Database): Pauses {
  return {
    async add({ sync, pausedAt, by }) {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('pauses')
        .values({ sync, paused_at: pausedAt, by_whom: by })
        .onConflict((conflict) => conflict.column('sync').doNothing())
        .executeTakeFirst();
      return (numInsertedOrUpdatedRows ?? 0n) > 0n;
    },

    async remove(sync) {
      const { numDeletedRows } = await db.deleteFrom('pauses').where('sync', '=', sync).executeTakeFirst();
      return numDeletedRows > 0n;
    },

    async get(sync) {
      const row = await db.selectFrom('pauses').selectAll().where('sync', '=', sync).executeTakeFirst();
      return row && toPause(row);
    },

    async list() {
      const rows = await db.selectFrom('pauses').selectAll().orderBy('sync').execute();
      return rows.map(toPause);
    },
  };
}

function toPause(row: Selectable<PauseRow>): Pause {
  return { sync: row.sync, pausedAt: Number(row.paused_at), by: row.by_whom };
}
