import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { textType } from '../differences.ts';

/** What the store's clock showed at an uptime of each machine, and the jumps that were found by it. */
export const clockJumps: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('clock_marks')
      .addColumn('boot', textType(db), (column) => column.primaryKey().notNull())
      .addColumn('uptime_ms', 'bigint', (column) => column.notNull())
      .addColumn('at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema
      .createTable('clock_jumps')
      .addColumn('before_at', 'bigint', (column) => column.notNull())
      .addColumn('after_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('clock_jumps_key', ['before_at', 'after_at'])
      .execute();
  },
};
