import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Notices about one run belong to one thread, whose first message has an id at the receiver. */
export const alertThreads: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const column of ['thread', 'receipt']) {
      await db.schema.alterTable('alert_deliveries').addColumn(column, 'text').execute();
    }
  },
};
