import type { Selectable } from 'kysely';
import type { Audit, AuditEntry, Pause, Pauses, Restores } from '../ports/store.ts';
import type { Database } from './db/database.ts';
import type { AuditRow, PauseRow } from './db/schema.ts';

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

export function createAudit(db: Database): Audit {
  return {
    async add(entry) {
      await db.insertInto('audit').values(toAuditRow(entry)).execute();
    },

    async list({ limit, sync, run, by, action, connection, since, until, before }) {
      const rows = await db
        .selectFrom('audit')
        .selectAll()
        .$if(sync !== undefined, (query) => query.where('sync', '=', sync ?? ''))
        .$if(run !== undefined, (query) => query.where('run', '=', run ?? ''))
        .$if(by !== undefined, (query) => query.where('by_whom', '=', by ?? ''))
        .$if(action !== undefined, (query) => query.where('action', '=', action ?? 'approve'))
        .$if(connection !== undefined, (query) => query.where('connection', '=', connection ?? ''))
        .$if(until !== undefined, (query) => query.where('at', '<', until ?? 0))
        .$if(since !== undefined, (query) => query.where('at', '>=', since ?? 0))
        .$if(before !== undefined, (query) => query.where('id', '<', before ?? ''))
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.map(toEntry);
    },
  };
}

export function toAuditRow(entry: AuditEntry): AuditRow {
  const { id, at, by, action, sync = null, connection = null, run = null, detail = null, reason = null } = entry;
  return { id, at, by_whom: by, action, sync, connection, run, detail, why: reason, via: entry.via ?? null };
}

function toEntry(row: AuditRow): AuditEntry {
  return {
    id: row.id,
    at: Number(row.at),
    by: row.by_whom,
    action: row.action,
    sync: row.sync ?? undefined,
    connection: row.connection ?? undefined,
    run: row.run ?? undefined,
    detail: row.detail ?? undefined,
    ...(row.why === null ? {} : { reason: row.why }),
    ...(row.via === null ? {} : { via: row.via }),
  };
}

export function createRestores(db: Database): Restores {
  return {
    async last() {
      const row = await db
        .selectFrom('restores')
        .select(['at', 'made_at'])
        .orderBy('at', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row && { at: Number(row.at), madeAt: Number(row.made_at) };
    },
  };
}
