import type { Selectable } from 'kysely';
import type { HoldFacts, HoldRecord, OpenHolds } from '../ports/store.ts';
import { countHolds, type HoldCounts } from './count-holds.ts';
import type { Database } from './database.ts';
import type { HoldRow } from './schema.ts';

/** A hold row without its hashes, which may be megabytes. */
export type HoldFactsRow = Omit<Selectable<HoldRow>, 'hashes'>;

export const holdFacts = [
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
] as const;

/** Maximum number of cached hashes, 100 bytes each. A hold with more is not cached. */
const mostKept = 200_000;

export interface HoldHashes {
  complete(rows: readonly HoldFactsRow[]): Promise<HoldRecord[]>;
  /** Counts the open holds of one sync. */
  count(sync: string, rows: readonly HoldFactsRow[]): Promise<OpenHolds>;
}

/**
 * Loads or counts the hashes of holds. They never change, and runs, alerts and metrics need them repeatedly, so the
 * hashes of the latest holds and the counts of each sync are cached.
 */
export function openHoldHashes(db: Database): HoldHashes {
  const counted = new Map<string, { readonly ids: string; readonly counts: Promise<HoldCounts> }>();
  const known = new Map<string, Promise<readonly string[]>>();
  const sizes = new Map<string, number>();

  const forget = (id: string): void => {
    known.delete(id);
    sizes.delete(id);
  };
  const keep = (id: string, size: number): void => {
    sizes.set(id, size);
    let sum = [...sizes.values()].reduce((a, b) => a + b, 0);
    for (const [oldest, count] of sizes) {
      if (sum <= mostKept) return;
      forget(oldest);
      sum -= count;
    }
  };
  const read = async (id: string): Promise<readonly string[]> => {
    const row = await db.selectFrom('holds').select('hashes').where('id', '=', id).executeTakeFirst();
    const hashes: readonly string[] = row === undefined ? [] : (JSON.parse(row.hashes) as string[]);
    keep(id, hashes.length);
    return hashes;
  };
  const hashesOf = (id: string): Promise<readonly string[]> => {
    const found = known.get(id);
    if (found !== undefined) return found;
    const reading = read(id);
    known.set(id, reading);
    reading.catch(() => forget(id));
    return reading;
  };
  const complete = async (rows: readonly HoldFactsRow[]): Promise<HoldRecord[]> => {
    const holds: HoldRecord[] = [];
    for (const row of rows) holds.push({ ...toFacts(row), hashes: await hashesOf(row.id) });
    return holds;
  };
  const countsOf = (sync: string, rows: readonly HoldFactsRow[]): Promise<HoldCounts> => {
    const ids = rows.map(({ id }) => id).join();
    const found = counted.get(sync);
    if (found?.ids === ids) return found.counts;
    const counts = complete(rows).then(countHolds);
    counted.set(sync, { ids, counts });
    counts.catch(() => counted.delete(sync));
    return counts;
  };
  return {
    complete,
    count: async (sync, rows) => ({ holds: rows.map(toFacts), ...(await countsOf(sync, rows)) }),
  };
}

function toFacts(row: HoldFactsRow): HoldFacts {
  return {
    id: row.id,
    sync: row.sync,
    run: row.run,
    class: row.class,
    reason: row.reason,
    digest: row.digest,
    heldAt: Number(row.held_at),
    expiresAt: Number(row.expires_at),
    state: row.state,
  };
}
