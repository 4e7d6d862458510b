import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Requests of a run to the platform, by purpose, as JSON. */
export const runRequests: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('runs').addColumn('requests', 'text').execute();
  },
};
