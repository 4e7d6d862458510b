import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { textType } from '../differences.ts';

/** What people do to the tokens of a connection is about no sync. */
export const auditOfConnections: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('audit').addColumn('connection', textType(db)).execute();
  },
};
