import type { Selectable } from 'kysely';
import type { Session, Sessions } from '../ports/sessions.ts';
import type { Database } from './db/database.ts';
import type { SessionRow } from './db/schema.ts';

export function createSessions(db: Database): Sessions {
  return {
    async add(session) {
      await db.deleteFrom('sessions').where('expires_at', '<=', session.createdAt).execute();
      const { key, name, role, method, token = null, createdAt, usedAt, expiresAt } = session;
      const instants = { created_at: createdAt, used_at: usedAt, expires_at: expiresAt };
      await db
        .insertInto('sessions')
        .values({ key, name, role, method, token, ...instants })
        .execute();
    },

    async get(key) {
      const row = await db.selectFrom('sessions').selectAll().where('key', '=', key).executeTakeFirst();
      return row && toSession(row);
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

    async begin({ expiresAt, ...signIn }, now) {
      await db.deleteFrom('sign_ins').where('expires_at', '<=', now).execute();
      await db
        .insertInto('sign_ins')
        .values({ ...signIn, expires_at: expiresAt })
        .execute();
    },

    async take(key) {
      const row = await db.deleteFrom('sign_ins').where('key', '=', key).returningAll().executeTakeFirst();
      if (row === undefined) return undefined;
      const { verifier, nonce, target } = row;
      return { key, verifier, nonce, target, expiresAt: Number(row.expires_at) };
    },
  };
}

function toSession(row: Selectable<SessionRow>): Session {
  return {
    key: row.key,
    name: row.name,
    role: row.role,
    method: row.method,
    token: row.token ?? undefined,
    createdAt: Number(row.created_at),
    usedAt: Number(row.used_at),
    expiresAt: Number(row.expires_at),
  };
}
