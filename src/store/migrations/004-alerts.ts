import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { textType } from '../differences.ts';

/** The last alert state of each sync and connection, and the notices that are pending for each channel. */
export const alerts: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const text = textType(db);
    await db.schema
      .createTable('alert_states')
      .addColumn('subject', text, (column) => column.primaryKey().notNull())
      .addColumn('version', 'bigint', (column) => column.notNull())
      .addColumn('state', text, (column) => column.notNull())
      .execute();
    await db.schema
      .createTable('alert_deliveries')
      .addColumn('notice', text, (column) => column.notNull())
      .addColumn('channel', text, (column) => column.notNull())
      .addColumn('subject', text, (column) => column.notNull())
      .addColumn('made_at', 'bigint', (column) => column.notNull())
      .addColumn('body', text, (column) => column.notNull())
      .addColumn('state', text, (column) => column.notNull())
      .addColumn('tries', 'integer', (column) => column.notNull())
      .addColumn('next_at', 'bigint', (column) => column.notNull())
      .addColumn('ended_at', 'bigint')
      .addColumn('error', text)
      .addPrimaryKeyConstraint('alert_deliveries_key', ['notice', 'channel'])
      .execute();
    await db.schema
      .createIndex('alert_deliveries_waiting')
      .on('alert_deliveries')
      .columns(['channel', 'made_at'])
      .where(sql.ref('state'), '=', sql.lit('waiting'))
      .execute();
    await db.schema.createIndex('alert_deliveries_newest').on('alert_deliveries').column('made_at').execute();
    await db.schema.createIndex('runs_ended').on('runs').columns(['sync', 'ended_at']).execute();
  },
};
