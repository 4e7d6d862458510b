import { sql } from 'kysely';
import type { Audit, AuditEntry, Pause, Pauses, Restores } from '../ports/store.ts';
import type { Database } from './db/database.ts';
import { fields } from './db/fields.ts';
import { addNew } from './db/row-writer.ts';
import type { AuditRow, PauseRow } from './db/schema.ts';

const pauses = fields<Pause, PauseRow>({ sync: 'sync', pausedAt: 'paused_at', by: 'by_whom' });

export function createPauses(db: Database): Pauses {
  return {
    add: (pause) => addNew(db, 'pauses', pauses.toRow(pause)),

    async remove(sync) {
      const { numDeletedRows } = await db.deleteFrom('pauses').where('sync', '=', sync).executeTakeFirst();
      return numDeletedRows > 0n;
    },

    async get(sync) {
      const row = await db.selectFrom('pauses').selectAll().where('sync', '=', sync).executeTakeFirst();
      return row && pauses.fromRow(row);
    },

    async list() {
      const rows = await db.selectFrom('pauses').selectAll().orderBy('sync').execute();
      return rows.map(pauses.fromRow);
    },
  };
}

const entries = fields<AuditEntry, AuditRow>({
  id: 'id',
  at: 'at',
  by: 'by_whom',
  action: 'action',
  sync: 'sync',
  connection: 'connection',
  run: 'run',
  detail: 'detail',
  reason: { column: 'why', isOptional: true },
  via: { column: 'via', isOptional: true },
});

export const toAuditRow = entries.toRow;

export function createAudit(db: Database): Audit {
  return {
    async add(entry) {
      await db.insertInto('audit').values(toAuditRow(entry)).execute();
    },

    async list({ limit, since, until, before, ...equal }) {
      let wanted = db.selectFrom('audit').selectAll().orderBy('id', 'desc').limit(limit);
      for (const [column, value] of Object.entries(entries.toPatch(equal))) {
        if (value !== null) wanted = wanted.where(sql.ref(column), '=', value);
      }
      if (until !== undefined) wanted = wanted.where('at', '<', until);
      if (since !== undefined) wanted = wanted.where('at', '>=', since);
      if (before !== undefined) wanted = wanted.where('id', '<', before);
      return (await wanted.execute()).map(entries.fromRow);
    },
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
      return row && { at: row.at, madeAt: row.made_at };
    },
  };
}
