import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Finds the next batch of a run, and those that are out, without reading the ones that have ended. */
export const batchesByState: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.createIndex('batches_by_state').on('batches').columns(['run', 'state', 'number']).execute();
    await db.schema
      .createIndex('batches_parts')
      .on('batches')
      .columns(['run', 'state', 'number'])
      .where(sql.ref('parent'), 'is not', null)
      .execute();
  },
};
