import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { textType } from '../differences.ts';

/**
 * Decisions by person, rule and episode. Earlier approvals and rejections named hashes that no change has any longer:
 * the next run holds those changes again, so the holds that are open now are closed.
 */
export const decisions: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const text = textType(db);
    await db.schema
      .createTable('decisions')
      .addColumn('sync', text, (column) => column.notNull())
      .addColumn('hash', text, (column) => column.notNull())
      .addColumn('identification', text, (column) => column.notNull())
      .addColumn('rule', text, (column) => column.notNull())
      .addColumn('episode', text, (column) => column.notNull())
      .addColumn('state', text, (column) => column.notNull())
      .addColumn('by_whom', text)
      .addColumn('why', text)
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint')
      .addColumn('run', text)
      .addColumn('ended_at', 'bigint')
      .addColumn('ended_by', text)
      .addPrimaryKeyConstraint('decisions_key', ['sync', 'hash'])
      .execute();
    await db.schema.createIndex('decisions_person').on('decisions').columns(['sync', 'identification']).execute();
    await db.schema
      .createIndex('decisions_pending')
      .on('decisions')
      .columns(['sync', 'identification'])
      .where(sql.ref('ended_at'), 'is', null)
      .execute();
    for (const name of ['rule', 'episode'])
      await db.schema
        .alterTable('changes')
        .addColumn(name, text, (column) => column.notNull().defaultTo(''))
        .execute();
    await db.schema
      .alterTable('changes')
      .addColumn('is_rejected', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    for (const name of ['why', 'via']) await db.schema.alterTable('audit').addColumn(name, text).execute();
    await sql`update holds set state = 'expired' where state = 'open'`.execute(db);
  },
};
