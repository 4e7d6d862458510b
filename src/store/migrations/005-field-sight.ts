import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { textType } from '../differences.ts';

/** Which source fields had a value in each read. It shows when a permission is revoked. */
export const fieldSight: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('reads').addColumn('sight', textType(db)).execute();
  },
};
