import type { HoldRecord, OpenHolds } from '../ports/store.ts';
import { countHolds, type HoldCounts } from './count-holds.ts';
import type { Database } from './database.ts';
import { type HoldFactsRow, toFacts } from './hold-rows.ts';
import { type SettledState, settledHashes, settledVersion } from './settled-hashes.ts';

/** Maximum number of cached hashes, 100 bytes each. A hold with more is not cached. */
const mostKept = 200_000;

export interface HoldHashes {
  complete(rows: readonly HoldFactsRow[]): Promise<HoldRecord[]>;
  /** Counts what waits in the open holds of one sync. */
  count(sync: string, rows: readonly HoldFactsRow[], now: number): Promise<OpenHolds>;
}

/**
 * Loads or counts the hashes of holds. They never change, and runs, alerts and metrics need them repeatedly, so the
 * hashes of the latest holds and the counts of each sync are cached.
 */
export function openHoldHashes(db: Database): HoldHashes {
  const counted = new Map<string, { readonly version: string; readonly counts: Promise<HoldCounts> }>();
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
  const countsOf = async (sync: string, rows: readonly HoldFactsRow[], now: number): Promise<HoldCounts> => {
    if (rows.length === 0) return countHolds([]);
    const version = `${rows.map(({ id }) => id).join()} ${await settledVersion(db, sync, now)}`;
    const found = counted.get(sync);
    if (found?.version === version) return found.counts;
    const since = Math.min(...rows.map(({ held_at }) => Number(held_at)));
    const counts = settledHashes(db, sync, { now, since }).then(async (settled) =>
      countHolds((await complete(rows)).map((hold) => waitingOnly(hold, settled))),
    );
    counted.set(sync, { version, counts });
    counts.catch(() => counted.delete(sync));
    return counts;
  };
  return {
    complete,
    count: async (sync, rows, now) => ({ holds: rows.map(toFacts), ...(await countsOf(sync, rows, now)) }),
  };
}

function waitingOnly(hold: HoldRecord, settled: ReadonlyMap<string, SettledState>): HoldRecord {
  return { ...hold, hashes: hold.hashes.filter((hash) => !settled.has(hash)) };
}
