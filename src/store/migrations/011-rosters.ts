import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { textType } from '../differences.ts';

/** What the last accepted full read of each sync showed of each person, as hashes; and the account's id in the ledger. */
export const rosters: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const text = textType(db);
    await db.schema
      .createTable('rosters')
      .addColumn('sync', text, (column) => column.primaryKey().notNull())
      .addColumn('run', text, (column) => column.notNull())
      .addColumn('read_at', 'bigint', (column) => column.notNull())
      .addColumn('fingerprint', text, (column) => column.notNull())
      .addColumn('salt', text, (column) => column.notNull())
      .addColumn('people', 'integer', (column) => column.notNull())
      .addColumn('people_pages', 'integer', (column) => column.notNull())
      .addColumn('email_pages', 'integer', (column) => column.notNull())
      .execute();
    await db.schema
      .createTable('roster_pages')
      .addColumn('sync', text, (column) => column.notNull())
      .addColumn('part', text, (column) => column.notNull())
      .addColumn('page', 'integer', (column) => column.notNull())
      .addColumn('digest', text, (column) => column.notNull())
      .addColumn('data', text, (column) => column.notNull())
      .addPrimaryKeyConstraint('roster_pages_key', ['sync', 'part', 'page'])
      .execute();
    await db.schema.alterTable('ledger').addColumn('account_id', text).execute();
  },
};
