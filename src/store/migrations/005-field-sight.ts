import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { textType } from '../differences.ts';

/** Which source fields came for anybody, per read: a permission that is taken away is seen by it. */
export const fieldSight: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('reads').addColumn('sight', textType(db)).execute();
  },
};
