import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { textType } from '../differences.ts';

/** Changes that go after another user's change, or to a parking address first; and the batches that park. */
export const emailChains: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const text = textType(db);
    await db.schema.alterTable('changes').addColumn('waits_for', text).execute();
    await db.schema.alterTable('changes').addColumn('park_email', text).execute();
    await db.schema
      .alterTable('batches')
      .addColumn('is_parking', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
