import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { textType } from '../differences.ts';

/** People for whom nothing could be decided, by kind, per read: the measure for later reads. */
export const blocked: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('reads').addColumn('blocked', textType(db)).execute();
  },
};
