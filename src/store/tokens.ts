import type { TokenRecord, TokenStore } from '../ports/store.ts';
import { type Database, toInstant } from './db/database.ts';
import type { TokenRow } from './db/schema.ts';

const columns = [
  'connection',
  'generation',
  'state',
  'access_sealed',
  'refresh_sealed',
  'issued_at',
  'expires_at',
  'seed_hash',
  'used_seeds',
  'refresh_started_at',
  'attempts',
  'reason',
  'retry_at',
  'tried_seeds',
  'restored_at',
  'restored_seed',
] as const satisfies readonly Exclude<keyof TokenRow, 'room'>[];

/** The pair is durable when `replace` resolves, because the database syncs every commit to disk. */
export function createTokenStore(db: Database): TokenStore {
  return {
    async get(connection) {
      const row = await db.selectFrom('tokens').select(columns).where('connection', '=', connection).executeTakeFirst();
      return row && toRecord(row);
    },

    async replace(seen, next, room) {
      if (seen === undefined) {
        const { numInsertedOrUpdatedRows } = await db
          .insertInto('tokens')
          .values(toRow(next, room))
          .onConflict((conflict) => conflict.column('connection').doNothing())
          .executeTakeFirst();
        return (numInsertedOrUpdatedRows ?? 0n) > 0n;
      }
      const { numUpdatedRows } = await db
        .updateTable('tokens')
        .set(toRow({ ...next, connection: seen.connection }, room))
        .where('connection', '=', seen.connection)
        .where('generation', '=', seen.generation)
        .where('state', '=', seen.state)
        // The start of the refresh is part of the comparison: a second refresh of the same generation is another attempt.
        .where('refresh_started_at', 'is not distinct from', seen.refreshStartedAt ?? null)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
  };
}

function toRow(record: TokenRecord, room: string | undefined): TokenRow {
  return {
    connection: record.connection,
    generation: record.generation,
    state: record.state,
    access_sealed: record.accessSealed ?? null,
    refresh_sealed: record.refreshSealed ?? null,
    issued_at: record.issuedAt ?? null,
    expires_at: record.expiresAt ?? null,
    seed_hash: record.seedHash ?? null,
    used_seeds: JSON.stringify(record.usedSeeds),
    refresh_started_at: record.refreshStartedAt ?? null,
    attempts: record.attempts,
    reason: record.reason ?? null,
    retry_at: record.retryAt ?? null,
    tried_seeds: JSON.stringify(record.triedSeeds),
    room: room ?? null,
    restored_at: record.restored?.at ?? null,
    restored_seed: record.restored?.seedHash ?? null,
  };
}

function toRecord(row: Omit<TokenRow, 'room'>): TokenRecord {
  return {
    connection: row.connection,
    generation: Number(row.generation),
    state: row.state,
    accessSealed: row.access_sealed ?? undefined,
    refreshSealed: row.refresh_sealed ?? undefined,
    issuedAt: toInstant(row.issued_at),
    expiresAt: toInstant(row.expires_at),
    seedHash: row.seed_hash ?? undefined,
    usedSeeds: JSON.parse(row.used_seeds) as string[],
    refreshStartedAt: toInstant(row.refresh_started_at),
    attempts: row.attempts,
    reason: row.reason ?? undefined,
    retryAt: toInstant(row.retry_at),
    triedSeeds: JSON.parse(row.tried_seeds ?? '[]') as string[],
    restored:
      row.restored_at === null ? undefined : { at: Number(row.restored_at), seedHash: row.restored_seed ?? undefined },
  };
}
