import type { OpenTransaction } from './database.ts';
import { openHoldHashes } from './hold-hashes.ts';
import { holdFacts } from './hold-rows.ts';
import { holdState, settledHashes } from './settled-hashes.ts';

/** Closes holds of which no change waits any more, and corrects those that were decided otherwise before. */
export async function restateHolds(db: OpenTransaction, sync: string, now: number): Promise<void> {
  const rows = await db
    .selectFrom('holds')
    .select(holdFacts)
    .where('sync', '=', sync)
    .where('state', '!=', 'expired')
    .where('expires_at', '>', now)
    .execute();
  if (rows.length === 0) return;
  const since = Math.min(...rows.map(({ held_at }) => Number(held_at)));
  const settled = await settledHashes(db, sync, { now, since });
  for (const { id, state, hashes } of await openHoldHashes(db).complete(rows)) {
    const next = holdState(hashes, settled);
    if (next === state || next === 'open') continue;
    await db.updateTable('holds').set({ state: next }).where('id', '=', id).execute();
  }
}
