import type { Selectable } from 'kysely';
import type { PlanReport, Preview, Previews } from '../ports/previews.ts';
import type { RunScope } from '../ports/store.ts';
import { type Database, toInstant } from './db/database.ts';
import type { PreviewRow } from './db/schema.ts';

const unended = ['waiting', 'working'] as const;

const facts = [
  'id',
  'sync',
  'scope',
  'requested_by',
  'requested_at',
  'expires_at',
  'state',
  'attempt',
  'started_at',
  'ended_at',
  'progress',
  'reason',
] as const;

export function createPreviews(db: Database): Previews {
  const get = async (id: string): Promise<Preview | undefined> => {
    const row = await db.selectFrom('previews').selectAll().where('id', '=', id).executeTakeFirst();
    return row && toPreview(row);
  };
  return {
    async add({ id, sync, scope, by, requestedAt, expiresAt }) {
      const instants = { requested_at: requestedAt, expires_at: expiresAt };
      await db
        .insertInto('previews')
        .values({ id, sync, scope: JSON.stringify(scope), requested_by: by, ...instants })
        .execute();
    },

    get,

    async list({ now, limit, sync }) {
      const rows = await db
        .selectFrom('previews')
        .select(facts)
        .where('expires_at', '>', now)
        .$if(sync !== undefined, (query) => query.where('sync', '=', sync ?? ''))
        .orderBy('requested_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.map((row) => toPreview({ ...row, report: null }));
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
        .where('id', '=', id)
        .where('attempt', '=', attempt)
        .where('state', '=', 'working')
        .execute();
    },

    async end(id, attempt, end) {
      const { state, at } = end;
      const result =
        end.state === 'done' ? { report: JSON.stringify(end.report) } : { report: null, reason: end.reason };
      const { numUpdatedRows } = await db
        .updateTable('previews')
        .set({ state, ended_at: at, progress: null, ...result })
        .where('id', '=', id)
        .where('attempt', '=', attempt)
        .where('state', '=', 'working')
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    async prune(before) {
      await db.deleteFrom('previews').where('expires_at', '<', before).execute();
    },
  };
}

function toPreview(row: Selectable<PreviewRow>): Preview {
  const { id, sync, state, attempt, progress, report } = row;
  return {
    id,
    sync,
    scope: JSON.parse(row.scope) as RunScope,
    by: row.requested_by,
    requestedAt: Number(row.requested_at),
    expiresAt: Number(row.expires_at),
    state,
    attempt: Number(attempt),
    startedAt: toInstant(row.started_at),
    endedAt: toInstant(row.ended_at),
    progress: progress === null ? undefined : (JSON.parse(progress) as Preview['progress']),
    report: report === null ? undefined : reportOf(report),
    reason: row.reason ?? undefined,
  };
}

/** JSON leaves out what is undefined. */
function reportOf(text: string): PlanReport {
  const report = JSON.parse(text) as Omit<PlanReport, 'failure'> & { readonly failure?: string };
  return { ...report, failure: report.failure };
}
