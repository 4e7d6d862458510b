import type { OpenTransaction } from './database.ts';
import { hashPages } from './hold-pages.ts';
import { type HoldFactsRow, holdFacts } from './hold-rows.ts';
import { type SettledState, type SettledTimes, settledAmong, waitingAmong } from './settled-hashes.ts';
import type { SortedHashes } from './sorted-hashes.ts';

/** Closes holds of which no change waits any longer, and corrects those that were decided otherwise before. */
export async function restateHolds(db: OpenTransaction, sync: string, now: number): Promise<void> {
  const rows = await db
    .selectFrom('holds')
    .select(holdFacts(db))
    .where('sync', '=', sync)
    .where('state', '!=', 'expired')
    .where('expires_at', '>', now)
    .execute();
  const times = { sync, now, since: oldestOf(rows) };
  for (const { id, state } of rows) {
    const next = await stateOf(db, id, times);
    if (next === state || next === 'open') continue;
    await db.updateTable('holds').set({ state: next }).where('id', '=', id).execute();
  }
}

/**
 * Closes those of which no change waits, and those whose waiting changes are all in the run's own holds. The
 * others stay open: the run did not decide about their people.
 */
export async function closeOthers(
  db: OpenTransaction,
  others: readonly HoldFactsRow[],
  own: readonly SortedHashes[],
  { sync, now }: Pick<SettledTimes, 'sync' | 'now'>,
): Promise<void> {
  const times = { sync, now, since: oldestOf(others) };
  for (const { id } of others) {
    if (await waitsBeside(db, id, own, times)) continue;
    const state = await stateOf(db, id, times);
    await db
      .updateTable('holds')
      .set({ state: state === 'open' ? 'expired' : state })
      .where('id', '=', id)
      .execute();
  }
}

/** Returns whether a change of the hold waits that is in none of the run's own holds. */
async function waitsBeside(
  db: OpenTransaction,
  id: string,
  own: readonly SortedHashes[],
  times: SettledTimes,
): Promise<boolean> {
  for await (const page of hashPages(db, id)) {
    const others = page.filter((hash) => !own.some((hashes) => hashes.has(hash)));
    if ((await waitingAmong(db, others, times)).length > 0) return true;
  }
  return false;
}

/** Returns the state of a hold, by what became of its changes. */
async function stateOf(
  db: OpenTransaction,
  id: string,
  times: SettledTimes,
): Promise<'open' | 'decided' | SettledState> {
  const states = new Set<SettledState>();
  for await (const page of hashPages(db, id)) {
    const settled = await settledAmong(db, page, times);
    if (settled.size < page.length) return 'open';
    for (const state of settled.values()) states.add(state);
  }
  if (states.has('approved')) return states.has('rejected') ? 'decided' : 'approved';
  return states.has('rejected') ? 'rejected' : 'expired';
}

function oldestOf(rows: readonly HoldFactsRow[]): number {
  return Math.min(...rows.map(({ held_at }) => Number(held_at)));
}
