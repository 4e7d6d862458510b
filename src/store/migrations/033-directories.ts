import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { textType } from '../differences.ts';

/** The people of each sync by name and e-mail, sealed, for searches. */
export const directories: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const text = textType(db);
    await db.schema
      .createTable('directories')
      .addColumn('sync', text, (column) => column.primaryKey().notNull())
      .addColumn('run', text, (column) => column.notNull())
      .addColumn('read_at', 'bigint', (column) => column.notNull())
      .addColumn('people', 'integer', (column) => column.notNull())
      .addColumn('pages', 'integer', (column) => column.notNull())
      .execute();
    await db.schema
      .createTable('directory_pages')
      .addColumn('sync', text, (column) => column.notNull())
      .addColumn('page', 'integer', (column) => column.notNull())
      .addColumn('digest', text, (column) => column.notNull())
      .addColumn('sealed', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('directory_pages_key', ['sync', 'page'])
      .execute();
  },
};
