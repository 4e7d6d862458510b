import type { OpenHolds } from '../ports/holds.ts';
import type { Database } from './database.ts';
import { hashPages } from './hold-pages.ts';
import { type HoldFactsRow, toFacts } from './hold-rows.ts';
import { type SettledTimes, settledAmong, settledVersion } from './settled-hashes.ts';

type HoldCounts = Pick<OpenHolds, 'changes' | 'byClass'>;

export interface HoldCounter {
  /** Counts what waits in the open holds of one sync. */
  count(sync: string, rows: readonly HoldFactsRow[], now: number): Promise<OpenHolds>;
}

/** Counts what waits in holds. Alerts and metrics ask again and again, so the counts of each sync are cached. */
export function openHoldCounter(db: Database): HoldCounter {
  const counted = new Map<string, { readonly version: string; readonly counts: Promise<HoldCounts> }>();

  const countsOf = async (sync: string, rows: readonly HoldFactsRow[], now: number): Promise<HoldCounts> => {
    if (rows.length === 0) return { changes: 0, byClass: {} };
    const version = `${rows.map(({ id }) => id).join()} ${await settledVersion(db, sync, now)}`;
    const found = counted.get(sync);
    if (found?.version === version) return found.counts;
    const since = Math.min(...rows.map(({ held_at }) => Number(held_at)));
    const counts = countHolds(db, rows, { sync, now, since });
    counted.set(sync, { version, counts });
    counts.catch(() => counted.delete(sync));
    return counts;
  };
  return {
    count: async (sync, rows, now) => ({ holds: rows.map(toFacts), ...(await countsOf(sync, rows, now)) }),
  };
}

/** Counts the distinct changes that wait, in total and by class. */
async function countHolds(db: Database, rows: readonly HoldFactsRow[], times: SettledTimes): Promise<HoldCounts> {
  let changes = 0;
  const byClass: Record<string, number> = Object.fromEntries(rows.map((row) => [row.class, 0]));
  for await (const portion of portionsOf(db, rows)) {
    const settled = await settledAmong(db, [...portion.keys()], times);
    for (const [hash, classes] of portion) {
      if (settled.has(hash)) continue;
      changes += 1;
      for (const name of classes) byClass[name] = (byClass[name] ?? 0) + 1;
    }
  }
  return { changes, byClass };
}

interface Cursor {
  readonly class: string;
  readonly pages: AsyncGenerator<readonly string[], void>;
  /** The rest of a page. */
  left: readonly string[];
}

/**
 * Yields the hashes of several holds together, with the classes that hold each one. A portion ends where the first of
 * the pages ends, so it has at most one page of each hold.
 */
async function* portionsOf(
  db: Database,
  rows: readonly HoldFactsRow[],
): AsyncGenerator<ReadonlyMap<string, ReadonlySet<string>>, void> {
  let cursors = rows.map((row): Cursor => ({ class: row.class, pages: hashPages(db, row.id), left: [] }));
  for (;;) {
    for (const cursor of cursors) if (cursor.left.length === 0) cursor.left = (await cursor.pages.next()).value ?? [];
    cursors = cursors.filter(({ left }) => left.length > 0);
    const [end] = cursors.map(({ left }) => left.at(-1) ?? '').sort();
    if (end === undefined) return;
    const portion = new Map<string, Set<string>>();
    for (const cursor of cursors) {
      const beyond = cursor.left.findIndex((hash) => hash > end);
      const some = beyond === -1 ? cursor.left : cursor.left.slice(0, beyond);
      cursor.left = beyond === -1 ? [] : cursor.left.slice(beyond);
      for (const hash of some) portion.set(hash, (portion.get(hash) ?? new Set()).add(cursor.class));
    }
    yield portion;
  }
}
