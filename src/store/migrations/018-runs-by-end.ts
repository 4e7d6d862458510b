import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Lets alerts find the runs of all syncs that ended lately with one query. */
export const runsByEnd: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.createIndex('runs_by_end').on('runs').column('ended_at').execute();
  },
};
