import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { textType } from '../differences.ts';

/** Sealed raw answers of other systems beside a run. */
export const rawTexts: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const text = textType(db);
    await db.schema
      .createTable('raw_texts')
      .addColumn('run', text, (column) => column.notNull())
      .addColumn('number', 'integer', (column) => column.notNull())
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addColumn('sealed', text, (column) => column.notNull())
      .addPrimaryKeyConstraint('raw_texts_key', ['run', 'number'])
      .execute();
  },
};
