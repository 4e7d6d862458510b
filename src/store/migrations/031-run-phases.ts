import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** How long a run was in each phase, as JSON. */
export const runPhases: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('runs').addColumn('phases', 'text').execute();
  },
};
