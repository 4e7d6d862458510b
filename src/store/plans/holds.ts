import type { RunEffects } from '../../ports/runs.ts';
import type { Holds, NewHold, OpenHolds, OwnedRun } from '../../ports/store.ts';
import type { Database, OpenTransaction } from '../db/database.ts';
import { decisionsOf, lockName } from '../db/differences.ts';
import { addNew } from '../db/row-writer.ts';
import { keepByVersion, versionsOf } from './decisions.ts';
import {
  closeOthers,
  countMembers,
  type HoldCounts,
  type HoldFactsRow,
  holdFields,
  isSettled,
  type MemberSummary,
  memberHashes,
  summarize,
} from './hold-members.ts';

export function createHolds(db: Database): Holds {
  const counted = keepByVersion<HoldCounts>();
  const countsOf = (sync: string, rows: readonly HoldFactsRow[], now: number, settled: string) => {
    if (rows.length === 0) return { changes: 0, byClass: {} };
    const holds = rows.map(({ id, run }) => `${id} ${run}`).join();
    return counted(sync, `${holds} ${settled}`, () => countMembers(db, rows, { sync, now }));
  };

  return {
    async open(syncs, now) {
      const bySync = Map.groupBy(await openRows(db, syncs), ({ sync }) => sync);
      const settled = await versionsOf(db, [...bySync.keys()], isSettled(now));
      const found = new Map<string, OpenHolds>();
      for (const [sync, rows] of bySync) {
        const { version = '', expired = 0 } = settled.find((one) => one.sync === sync) ?? {};
        const { open = [], late = [] } = Object.groupBy(rows, (row) => (row.expires_at > now ? 'open' : 'late'));
        found.set(sync, {
          holds: open.map(holdFields.fromRow),
          ...(await countsOf(sync, open, now, version)),
          expired: { holds: late.map(holdFields.fromRow), changes: late.length === 0 ? 0 : expired },
        });
      }
      return found;
    },

    listOpen: async (sync) => (await openRows(db, [sync])).map(holdFields.fromRow),

    async ofRun(runId) {
      const rows = await db
        .selectFrom('holds')
        .innerJoin('hold_runs', 'hold_runs.hold', 'holds.id')
        .selectAll('holds')
        .where('hold_runs.run', '=', runId)
        .orderBy('holds.held_at')
        .orderBy('holds.id')
        .execute();
      return rows.map(holdFields.fromRow);
    },

    async *hashes(id) {
      const hold = await db.selectFrom('holds').select(['run', 'class']).where('id', '=', id).executeTakeFirst();
      if (hold !== undefined) yield* memberHashes(db, hold);
    },
  };
}

/** Counts the members of a run's new holds, outside the transaction of `renewHolds`: they may be a whole plan. */
export async function prepareHolds(db: Database, run: string, holds: readonly NewHold[]): Promise<HoldFactsRow[]> {
  const members = await summarize(
    db,
    run,
    holds.map((hold) => hold.class),
  );
  return holds.flatMap((hold) => toRow(hold, members.get(hold.class)) ?? []);
}

/** Opens and renews the holds of a run, and closes others (see `RunEffects`). */
export async function renewHolds(
  db: OpenTransaction,
  { run: { sync, id: run } }: OwnedRun,
  { all, now, prepared }: NonNullable<RunEffects['holds']> & { readonly prepared: readonly HoldFactsRow[] },
): Promise<void> {
  await lockName(db, decisionsOf(sync));
  const open = await openRows(db, [sync]);
  const renewed = new Set<string>();
  for (const hold of prepared) {
    const same = open.find((row) => isRenewal(row, hold) && !renewed.has(row.id));
    if (same === undefined) {
      await db.insertInto('holds').values(hold).execute();
    } else {
      renewed.add(same.id);
      const { reason, held_before, digest } = hold;
      await db
        .updateTable('holds')
        .set({ run, reason, held_before, digest, expires_at: Math.max(hold.expires_at, same.expires_at) })
        .where('id', '=', same.id)
        .execute();
    }
    await addNew(db, 'hold_runs', { hold: same?.id ?? hold.id, run });
  }
  const others = open.filter((row) => !renewed.has(row.id));
  const classes = all.map((hold) => hold.class);
  await closeOthers(db, others, { run, classes }, { sync, now });
}

function toRow(hold: NewHold, members: MemberSummary | undefined): HoldFactsRow | undefined {
  if (members === undefined || members.size === 0) return undefined;
  return { ...holdFields.toRow({ ...hold, size: members.size }), members_key: members.key };
}

async function openRows(db: Database, syncs: readonly string[]): Promise<HoldFactsRow[]> {
  if (syncs.length === 0) return [];
  return db
    .selectFrom('holds')
    .selectAll()
    .where('sync', 'in', syncs)
    .where('state', '=', 'open')
    .orderBy('held_at')
    .orderBy('id')
    .execute();
}

/** Whether the hold has the same changes and class as the row, which had not expired. An expired hold is a new hold. */
function isRenewal(row: HoldFactsRow, hold: HoldFactsRow): boolean {
  return row.class === hold.class && row.members_key === hold.members_key && row.expires_at > hold.held_at;
}
