import type { Holds, NewHold } from '../ports/store.ts';
import { openHoldCounter } from './count-holds.ts';
import { asOwner, type Database } from './database.ts';
import { decisionsOf, lockName } from './differences.ts';
import { hashPages, insertHold } from './hold-pages.ts';
import { type HoldFactsRow, holdFacts, toFacts } from './hold-rows.ts';
import { closeOthers } from './hold-states.ts';
import { keyOf, type SortedHashes, sortHashes } from './sorted-hashes.ts';

export function createHolds(db: Database): Holds {
  const counter = openHoldCounter(db);

  return {
    async renew(owned, holds, now) {
      const { sync } = owned.run;
      const prepared = await prepare(holds);
      return asOwner(db, owned, async (transaction) => {
        await lockName(transaction, decisionsOf(sync));
        const open = await openRows(transaction, sync);
        const renewed = new Set<string>();
        for (const hold of prepared) {
          const { run, reason, digest, expiresAt } = hold.record;
          const same = open.find((row) => isRenewal(row, hold) && !renewed.has(row.id));
          if (same === undefined) {
            await insertHold(transaction, toRow(hold), hold.hashes);
          } else {
            renewed.add(same.id);
            await transaction
              .updateTable('holds')
              .set({ run, reason, digest, expires_at: Math.max(expiresAt, Number(same.expires_at)) })
              .where('id', '=', same.id)
              .execute();
          }
          await transaction
            .insertInto('hold_runs')
            .values({ hold: same?.id ?? hold.record.id, run })
            .onConflict((conflict) => conflict.columns(['hold', 'run']).doNothing())
            .execute();
        }
        const others = open.filter((row) => !renewed.has(row.id));
        const own = prepared.map(({ hashes }) => hashes);
        await closeOthers(transaction, others, own, { sync, now });
      });
    },

    async open(sync, now) {
      const rows = (await openRows(db, sync)).filter((row) => row.expires_at > now);
      return counter.count(sync, rows, now);
    },

    listOpen: async (sync) => (await openRows(db, sync)).map(toFacts),

    async ofRun(runId) {
      const rows = await db
        .selectFrom('holds')
        .innerJoin('hold_runs', 'hold_runs.hold', 'holds.id')
        .select(holdFacts(db))
        .where('hold_runs.run', '=', runId)
        .orderBy('holds.held_at')
        .orderBy('holds.id')
        .execute();
      return rows.map(toFacts);
    },

    hashes: (id) => hashPages(db, id),
  };
}

interface PreparedHold {
  readonly record: NewHold;
  readonly hashes: SortedHashes;
  readonly key: string;
}

/** Sorts the hashes of each hold. Leaves out holds without changes. */
async function prepare(holds: readonly NewHold[]): Promise<PreparedHold[]> {
  const prepared: PreparedHold[] = [];
  for (const record of holds) {
    const hashes = await sortHashes(record.hashes);
    if (hashes.size > 0) prepared.push({ record, hashes, key: await keyOf(hashes) });
  }
  return prepared;
}

function toRow({ record, key }: PreparedHold): Parameters<typeof insertHold>[1] {
  return {
    id: record.id,
    sync: record.sync,
    run: record.run,
    class: record.class,
    reason: record.reason,
    digest: record.digest,
    hashes_key: key,
    held_at: record.heldAt,
    expires_at: record.expiresAt,
    state: record.state,
  };
}

function openRows(db: Database, sync: string): Promise<HoldFactsRow[]> {
  return db
    .selectFrom('holds')
    .select(holdFacts(db))
    .where('sync', '=', sync)
    .where('state', '=', 'open')
    .orderBy('held_at')
    .orderBy('id')
    .execute();
}

/** Whether the hold has the same changes and class as the row, which had not expired. An expired hold is a new hold. */
function isRenewal(row: HoldFactsRow, { record, key }: PreparedHold): boolean {
  return row.class === record.class && row.hashes_key === key && row.expires_at > record.heldAt;
}
