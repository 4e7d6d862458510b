import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { textType } from '../differences.ts';

/** When a refresh token is presented again, the first tokens that were tried, and room for an answer. */
export const tokenRetries: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const text = textType(db);
    await db.schema.alterTable('tokens').addColumn('retry_at', 'bigint').execute();
    await db.schema.alterTable('tokens').addColumn('tried_seeds', text).execute();
    await db.schema.alterTable('tokens').addColumn('room', text).execute();
  },
};
