import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { textType } from '../differences.ts';

/** People who were forgotten, by keyed hash, and the key of that hash. */
export const forgotten: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const text = textType(db);
    await db.schema
      .createTable('forgotten')
      .addColumn('connection', text, (column) => column.notNull())
      .addColumn('hash', text, (column) => column.notNull())
      .addColumn('owner', text, (column) => column.notNull())
      .addColumn('disabled_at', 'bigint')
      .addColumn('gone_since', 'bigint')
      .addColumn('removed_at', 'bigint')
      .addColumn('removed_blacklist', 'integer')
      .addColumn('forgotten_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('forgotten_key', ['connection', 'hash'])
      .execute();
    await db.schema
      .createTable('store_keys')
      .addColumn('name', text, (column) => column.primaryKey().notNull())
      .addColumn('value', text, (column) => column.notNull())
      .execute();
  },
};
