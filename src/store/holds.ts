import type { HoldRecord, Holds } from '../ports/store.ts';
import { asOwner, type Database, type OpenTransaction } from './database.ts';
import { decisionsOf, lockName } from './differences.ts';
import { openHoldHashes } from './hold-hashes.ts';
import { type HoldFactsRow, holdFacts, toFacts, toRow } from './hold-rows.ts';
import type { HoldRow } from './schema.ts';
import { holdState, settledHashes, waitingHashes } from './settled-hashes.ts';

export function createHolds(db: Database): Holds {
  const known = openHoldHashes(db);

  return {
    async renew(owned, holds, now) {
      const rows: HoldRow[] = [];
      for (const hold of holds) rows.push(await toRow(hold));
      return asOwner(db, owned, async (transaction) => {
        await lockName(transaction, decisionsOf(owned.run.sync));
        const open = await openRows(transaction, owned.run.sync);
        const renewed = new Set<string>();
        for (const hold of rows) {
          const same = open.find((row) => isRenewal(row, hold) && !renewed.has(row.id));
          if (same === undefined) {
            await transaction.insertInto('holds').values(hold).execute();
          } else {
            renewed.add(same.id);
            const { run, reason, digest, expires_at } = hold;
            await transaction
              .updateTable('holds')
              .set({ run, reason, digest, expires_at: Math.max(expires_at, Number(same.expires_at)) })
              .where('id', '=', same.id)
              .execute();
          }
          await transaction
            .insertInto('hold_runs')
            .values({ hold: same?.id ?? hold.id, run: hold.run })
            .onConflict((conflict) => conflict.columns(['hold', 'run']).doNothing())
            .execute();
        }
        const others = open.filter((row) => !renewed.has(row.id));
        if (others.length > 0) await closeOthers(transaction, others, holds, now);
      });
    },

    async open(sync, now) {
      const rows = (await openRows(db, sync)).filter((row) => row.expires_at > now);
      return known.count(sync, rows, now);
    },

    listOpen: async (sync) => (await openRows(db, sync)).map(toFacts),

    async ofRun(runId) {
      const rows = await db
        .selectFrom('holds')
        .innerJoin('hold_runs', 'hold_runs.hold', 'holds.id')
        .select(holdFacts)
        .where('hold_runs.run', '=', runId)
        .orderBy('holds.held_at')
        .orderBy('holds.id')
        .execute();
      return known.complete(rows);
    },
  };
}

function openRows(db: Database, sync: string): Promise<HoldFactsRow[]> {
  return db
    .selectFrom('holds')
    .select(holdFacts)
    .where('sync', '=', sync)
    .where('state', '=', 'open')
    .orderBy('held_at')
    .orderBy('id')
    .execute();
}

/** Whether the hold has the same changes and class as the row, which had not expired. An expired hold is a new hold. */
function isRenewal(row: HoldFactsRow, hold: HoldRow): boolean {
  return row.class === hold.class && row.hashes_key === hold.hashes_key && row.expires_at > hold.held_at;
}

/**
 * Closes those of which no change waits any more, and those whose waiting changes are all in the run's own holds. The
 * others stay open: the run did not decide about their people.
 */
async function closeOthers(
  db: OpenTransaction,
  others: readonly HoldFactsRow[],
  own: readonly HoldRecord[],
  now: number,
): Promise<void> {
  const [first] = others;
  if (first === undefined) return;
  const since = Math.min(...others.map(({ held_at }) => Number(held_at)));
  const settled = await settledHashes(db, first.sync, { now, since });
  const waiting = await waitingHashes(db, first.sync, now);
  const covered = new Set(own.flatMap(({ hashes }) => hashes));
  for (const { id, hashes } of await openHoldHashes(db).complete(others)) {
    if (hashes.some((hash) => waiting.has(hash) && !covered.has(hash))) continue;
    const state = holdState(hashes, settled);
    await db
      .updateTable('holds')
      .set({ state: state === 'open' ? 'expired' : state })
      .where('id', '=', id)
      .execute();
  }
}
