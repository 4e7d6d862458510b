import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { textType } from '../differences.ts';

/** Signed-in users of the page, and sign-ins that an identity provider has not answered yet. */
export const sessions: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const text = textType(db);
    await db.schema
      .createTable('sessions')
      .addColumn('key', text, (column) => column.primaryKey().notNull())
      .addColumn('name', text, (column) => column.notNull())
      .addColumn('role', text, (column) => column.notNull())
      .addColumn('method', text, (column) => column.notNull())
      .addColumn('token', text)
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('used_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema
      .createTable('sign_ins')
      .addColumn('key', text, (column) => column.primaryKey().notNull())
      .addColumn('verifier', text, (column) => column.notNull())
      .addColumn('nonce', text, (column) => column.notNull())
      .addColumn('target', text, (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute();
  },
};
