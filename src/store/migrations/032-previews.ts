import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { textType } from '../differences.ts';

/** Plans on demand, without effect. */
export const previews: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const text = textType(db);
    await db.schema
      .createTable('previews')
      .addColumn('id', text, (column) => column.primaryKey().notNull())
      .addColumn('sync', text, (column) => column.notNull())
      .addColumn('scope', 'text', (column) => column.notNull())
      .addColumn('requested_by', text, (column) => column.notNull())
      .addColumn('requested_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .addColumn('state', text, (column) => column.notNull().defaultTo('waiting'))
      .addColumn('attempt', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('started_at', 'bigint')
      .addColumn('ended_at', 'bigint')
      .addColumn('progress', 'text')
      .addColumn('report', 'text')
      .addColumn('reason', 'text')
      .execute();
    await db.schema.createIndex('previews_by_state').on('previews').columns(['state', 'requested_at']).execute();
  },
};
