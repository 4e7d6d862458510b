import type { Audit } from '../ports/store.ts';
import type { Database } from './database.ts';

export function createAudit(db: Database): Audit {
  return {
    async add({ id, at, by, action, sync = '', connection = null, run = null, detail = null }) {
      await db.insertInto('audit').values({ id, at, by_whom: by, action, sync, connection, run, detail }).execute();
    },

    async list({ limit, sync, before }) {
      const rows = await db
        .selectFrom('audit')
        .selectAll()
        .$if(sync !== undefined, (query) => query.where('sync', '=', sync ?? ''))
        .$if(before !== undefined, (query) => query.where('id', '<', before ?? ''))
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.map(({ id, at, by_whom: by, action, sync: about, connection, run, detail }) => ({
        id,
        at: Number(at),
        by,
        action,
        sync: about === '' ? undefined : about,
        connection: connection ?? undefined,
        run: run ?? undefined,
        detail: detail ?? undefined,
      }));
    },
  };
}
