import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { textType } from '../differences.ts';

/** Who waits for a lease, in which order. */
export const turns: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const text = textType(db);
    await db.schema
      .createTable('turns')
      .addColumn('name', text, (column) => column.notNull())
      .addColumn('owner', text, (column) => column.notNull())
      .addColumn('number', 'bigint', (column) => column.notNull())
      .addColumn('until_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('turns_key', ['name', 'owner'])
      .execute();
  },
};
