import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { textType } from '../differences.ts';

/** The instant up to which each sync knows its source, where its next delta starts. */
export const watermarks: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const text = textType(db);
    await db.schema
      .createTable('watermarks')
      .addColumn('sync', text, (column) => column.primaryKey().notNull())
      .addColumn('known_at', 'bigint', (column) => column.notNull())
      .addColumn('full_at', 'bigint', (column) => column.notNull())
      .addColumn('full_run', text, (column) => column.notNull())
      .addColumn('fingerprint', text, (column) => column.notNull())
      .execute();
  },
};
