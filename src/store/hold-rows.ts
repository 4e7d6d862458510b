import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { HoldFacts } from '../ports/store.ts';
import type { Database } from './database.ts';
import { isPostgres } from './differences.ts';
import type { HoldRow } from './hold-schema.ts';

/** A hold row without its hashes. */
export type HoldFactsRow = Omit<Selectable<HoldRow>, 'hashes' | 'size'> & { readonly size: number };

/** Selects the columns of `HoldFactsRow`. */
export function holdFacts(db: Database) {
  return [
    'holds.id',
    'holds.sync',
    'holds.run',
    'holds.class',
    'holds.reason',
    'holds.digest',
    'holds.hashes_key',
    'holds.held_at',
    'holds.expires_at',
    'holds.state',
    sizeOf(db).as('size'),
  ] as const;
}

/** Number of hashes of a hold. A version without pages writes all of them to the hold, and no size. */
function sizeOf(db: Database): RawBuilder<number> {
  const text = sql.ref('holds.hashes');
  const count = isPostgres(db) ? sql`json_array_length(${text}::json)` : sql`json_array_length(${text})`;
  return sql<number>`coalesce(${sql.ref('holds.size')}, ${count})`;
}

export function toFacts(row: HoldFactsRow): HoldFacts {
  return {
    id: row.id,
    sync: row.sync,
    run: row.run,
    class: row.class,
    reason: row.reason,
    digest: row.digest,
    size: row.size,
    heldAt: Number(row.held_at),
    expiresAt: Number(row.expires_at),
    state: row.state,
  };
}
