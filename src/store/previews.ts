import type { Insertable } from 'kysely';
import type { Preview, Previews } from '../ports/previews.ts';
import type { Database, Schema } from './db/database.ts';
import { fields } from './db/fields.ts';

const unended = ['waiting', 'working'] as const;

const previews = fields<Preview, 'previews'>(
  'previews',
  { requested_by: 'by' },
  { scope: 'json', progress: 'json', report: 'json' },
);

export function createPreviews(db: Database): Previews {
  const get = async (id: string): Promise<Preview | undefined> => {
    const row = await db.selectFrom('previews').selectAll().where('id', '=', id).executeTakeFirst();
    return row && previews.fromRow(row);
  };
  return {
    async add(request) {
      await db
        .insertInto('previews')
        .values(previews.toPatch(request) as Insertable<Schema['previews']>)
        .execute();
    },

    get,

    async list({ now, limit, sync, syncs }) {
      const rows = await db
        .selectFrom('previews')
        .select(previews.columns.filter((name) => name !== 'report'))
        .where('expires_at', '>', now)
        .$if(sync !== undefined, (query) => query.where('sync', '=', sync ?? ''))
        .$if(syncs !== undefined, (query) => query.where('sync', 'in', syncs ?? []))
        .orderBy('requested_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.map(previews.fromRow);
    },

    async unended(now) {
      const rows = await db
        .selectFrom('previews')
        .select('id')
        .where('state', 'in', unended)
        .where('expires_at', '>', now)
        .orderBy('requested_at')
        .orderBy('id')
        .execute();
      return rows.map(({ id }) => id);
    },

    async begin(id, now) {
      const { numUpdatedRows } = await db
        .updateTable('previews')
        .set((eb) => ({ state: 'working', attempt: eb('attempt', '+', 1), started_at: now, progress: null }))
        .where('id', '=', id)
        .where('state', 'in', unended)
        .executeTakeFirst();
      return numUpdatedRows > 0n ? get(id) : undefined;
    },

    async note(id, attempt, progress) {
      await db
        .updateTable('previews')
        .set({ progress: JSON.stringify(progress) })
        .where((eb) => eb.and({ id, attempt, state: 'working' }))
        .execute();
    },

    async end(id, attempt, end) {
      const { state, at } = end;
      const result =
        end.state === 'done' ? { report: JSON.stringify(end.report) } : { report: null, reason: end.reason };
      const { numUpdatedRows } = await db
        .updateTable('previews')
        .set({ state, ended_at: at, progress: null, ...result })
        .where((eb) => eb.and({ id, attempt, state: 'working' }))
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
  };
}
