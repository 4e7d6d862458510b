import type { Session, Sessions } from '../ports/sessions.ts';
import type { Database } from './db/database.ts';
import { fields } from './db/fields.ts';

const sessions = fields<Session, 'sessions'>('sessions', {}, { access: 'json', groups: 'json' });

export function createSessions(db: Database): Sessions {
  return {
    async add(session) {
      await db.deleteFrom('sessions').where('expires_at', '<=', session.createdAt).execute();
      await db.insertInto('sessions').values(sessions.toRow(session)).execute();
    },

    async get(key) {
      const row = await db.selectFrom('sessions').selectAll().where('key', '=', key).executeTakeFirst();
      return row && sessions.fromRow(row);
    },

    async touch(key, usedAt) {
      await db
        .updateTable('sessions')
        .set({ used_at: usedAt })
        .where('key', '=', key)
        .where('used_at', '<', usedAt)
        .execute();
    },

    async end(key) {
      const { numDeletedRows } = await db.deleteFrom('sessions').where('key', '=', key).executeTakeFirst();
      return numDeletedRows > 0n;
    },

    async list() {
      const rows = await db.selectFrom('sessions').selectAll().orderBy('used_at', 'desc').orderBy('key').execute();
      return rows.map(sessions.fromRow);
    },
  };
}
