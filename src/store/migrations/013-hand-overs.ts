import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { textType } from '../differences.ts';

/** Users that move between syncs of a connection: since when that is expected, and the last take-over. */
export const handOvers: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('ledger').addColumn('hand_over_since', 'bigint').execute();
    await db.schema.alterTable('ledger').addColumn('taken_from', textType(db)).execute();
    await db.schema.alterTable('ledger').addColumn('taken_at', 'bigint').execute();
  },
};
