import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { textType } from '../differences.ts';

/** Tells a version that does not know a migration whether it can still use the store. */
export const compatibility: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const text = textType(db);
    await db.schema
      .createTable('schema_compatibility')
      .addColumn('migration', text, (column) => column.primaryKey().notNull())
      .addColumn('since', text, (column) => column.notNull())
      .addColumn('breaks', text)
      .execute();
  },
};
