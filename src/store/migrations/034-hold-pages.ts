import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { textType } from '../differences.ts';

/** The hashes of large holds, in pages. Holds of versions before have all their hashes in `holds.hashes`. */
export const holdPages: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const text = textType(db);
    await db.schema.alterTable('holds').addColumn('size', 'integer').execute();
    await db.schema
      .createTable('hold_pages')
      .addColumn('hold', text, (column) => column.notNull().references('holds.id').onDelete('cascade'))
      .addColumn('page', 'integer', (column) => column.notNull())
      .addColumn('hashes', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('hold_pages_key', ['hold', 'page'])
      .execute();
  },
};
