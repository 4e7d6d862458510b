import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { textType } from '../differences.ts';

/** Paused syncs, and the audit of what operators did through the server or the command line. */
export const pausesAndAudit: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const text = textType(db);
    await db.schema
      .createTable('pauses')
      .addColumn('sync', text, (column) => column.primaryKey().notNull())
      .addColumn('paused_at', 'bigint', (column) => column.notNull())
      .addColumn('by_whom', text, (column) => column.notNull())
      .execute();
    await db.schema
      .createTable('audit')
      .addColumn('id', text, (column) => column.primaryKey().notNull())
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addColumn('by_whom', text, (column) => column.notNull())
      .addColumn('action', text, (column) => column.notNull())
      .addColumn('sync', text, (column) => column.notNull())
      .addColumn('run', text)
      .addColumn('detail', text)
      .execute();
    await db.schema.createIndex('audit_sync').on('audit').columns(['sync', 'id']).execute();
  },
};
