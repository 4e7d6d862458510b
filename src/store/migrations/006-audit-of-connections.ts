import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { textType } from '../differences.ts';

/** Audit entries about the tokens of a connection belong to no sync. */
export const auditOfConnections: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('audit').addColumn('connection', textType(db)).execute();
  },
};
