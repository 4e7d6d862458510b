import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { textType } from '../differences.ts';

/** An approval is for one run. The column holds the run that used it. */
export const approvalsOnce: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('approvals').addColumn('run', textType(db)).execute();
  },
};
