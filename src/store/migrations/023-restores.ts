import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { textType } from '../differences.ts';

/**
 * When the store was restored from a backup, and the tokens that wait for a confirmation since. Such a pair also has the
 * state `revoked`, so that a version without these columns does not present it either.
 */
export const restores: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const text = textType(db);
    await db.schema
      .createTable('restores')
      .addColumn('id', text, (column) => column.primaryKey().notNull())
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addColumn('made_at', 'bigint', (column) => column.notNull())
      .addColumn('by_whom', text, (column) => column.notNull())
      .execute();
    await db.schema.alterTable('tokens').addColumn('restored_at', 'bigint').execute();
    await db.schema.alterTable('tokens').addColumn('restored_seed', text).execute();
  },
};
