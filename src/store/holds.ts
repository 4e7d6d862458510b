import { createHash } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { HoldRecord, Holds } from '../ports/store.ts';
import { asOwner, type Database, inTransaction, type OpenTransaction } from './database.ts';
import { decisionsOf, lockName } from './differences.ts';
import { RowWriter } from './row-writer.ts';
import type { ApprovalRow, HoldRow } from './schema.ts';

/** How long a person's no stands for a change that stays the same (design, section 4; contract of `Holds.rejected`). */
/** Short enough that a real leaver who was rejected by mistake is asked about again soon. */
const rejectionMs = 7 * 24 * 3_600_000;

export function createHolds(db: Database): Holds {
  const decisionWriter = new RowWriter<'approvals', ApprovalRow>('approvals', (insert) =>
    insert.onConflict((conflict) =>
      conflict.columns(['sync', 'hash']).doUpdateSet((eb) => ({
        decision: eb.ref('excluded.decision'),
        by_whom: eb.ref('excluded.by_whom'),
        decided_at: eb.ref('excluded.decided_at'),
        expires_at: eb.ref('excluded.expires_at'),
        run: eb.ref('excluded.run'),
      })),
    ),
  );

  async function decide(
    hashes: readonly string[],
    now: number,
    decision: Omit<ApprovalRow, 'hash' | 'decided_at' | 'run'>,
  ) {
    return inTransaction(db, async (transaction) => {
      await lockName(transaction, decisionsOf(decision.sync));
      const { sync, decision: word, by_whom, expires_at } = decision;
      const rows = [...new Set(hashes)].map((hash) => ({
        sync,
        hash,
        decision: word,
        by_whom,
        decided_at: now,
        expires_at,
        run: null,
      }));
      await decisionWriter.write(transaction, rows);
      await closeDecided(transaction, sync, now);
      return rows.length;
    });
  }

  return {
    renew(owned, holds) {
      return asOwner(db, owned, async (transaction) => {
        await lockName(transaction, decisionsOf(owned.run.sync));
        const open = await openRows(transaction, owned.run.sync);
        const renewed = new Set<string>();
        for (const hold of holds) {
          const same = open.find((row) => isRenewal(row, hold) && !renewed.has(row.id));
          if (same === undefined) {
            await transaction.insertInto('holds').values(toRow(hold)).execute();
          } else {
            renewed.add(same.id);
            const { run, reason, digest, expiresAt } = hold;
            await transaction
              .updateTable('holds')
              .set({ run, reason, digest, expires_at: Math.max(expiresAt, Number(same.expires_at)) })
              .where('id', '=', same.id)
              .execute();
          }
          await transaction
            .insertInto('hold_runs')
            .values({ hold: same?.id ?? hold.id, run: hold.run })
            .onConflict((conflict) => conflict.columns(['hold', 'run']).doNothing())
            .execute();
        }
        for (const { id } of open.filter((row) => !renewed.has(row.id))) {
          await transaction.updateTable('holds').set({ state: 'expired' }).where('id', '=', id).execute();
        }
      });
    },

    async open(sync, now) {
      const rows = await openRows(db, sync);
      return rows.filter((row) => row.expires_at > now).map(toHold);
    },

    async ofRun(runId) {
      const rows = await db
        .selectFrom('holds')
        .innerJoin('hold_runs', 'hold_runs.hold', 'holds.id')
        .selectAll('holds')
        .where('hold_runs.run', '=', runId)
        .orderBy('holds.held_at')
        .orderBy('holds.id')
        .execute();
      return rows.map(toHold);
    },

    approve: (sync, hashes, by, now, expiresAt) =>
      decide(hashes, now, { sync, decision: 'approved', by_whom: by, expires_at: expiresAt }),

    reject: (sync, hashes, by, now) =>
      decide(hashes, now, { sync, decision: 'rejected', by_whom: by, expires_at: now + rejectionMs }),

    async rejected(sync, now) {
      return new Set(await decided(db, sync, 'rejected', now));
    },
  };
}

function openRows(db: Database, sync: string): Promise<Selectable<HoldRow>[]> {
  return db
    .selectFrom('holds')
    .selectAll()
    .where('sync', '=', sync)
    .where('state', '=', 'open')
    .orderBy('held_at')
    .orderBy('id')
    .execute();
}

/** The same changes of the same class, and the hold had not run out: who let it run out is asked anew. */
function isRenewal(row: Selectable<HoldRow>, hold: HoldRecord): boolean {
  return row.class === hold.class && row.hashes_key === keyOf(hold.hashes) && row.expires_at > hold.heldAt;
}

async function decided(db: Database, sync: string, decision: ApprovalRow['decision'], now: number): Promise<string[]> {
  const rows = await db
    .selectFrom('approvals')
    .select('hash')
    .where('sync', '=', sync)
    .where('decision', '=', decision)
    .where('expires_at', '>', now)
    .where('run', 'is', null)
    .execute();
  return rows.map((row) => row.hash);
}

/** Open holds of which every change has the same decision now say so. */
async function closeDecided(db: OpenTransaction, sync: string, now: number): Promise<void> {
  const open = await openRows(db, sync);
  for (const state of ['approved', 'rejected'] as const) {
    const hashes = new Set(await decided(db, sync, state, now));
    for (const row of open) {
      if (!(JSON.parse(row.hashes) as string[]).every((hash) => hashes.has(hash))) continue;
      await db.updateTable('holds').set({ state }).where('id', '=', row.id).execute();
    }
  }
}

function sorted(hashes: readonly string[]): string[] {
  return [...new Set(hashes)].sort();
}

function keyOf(hashes: readonly string[]): string {
  return createHash('sha256').update(sorted(hashes).join()).digest('base64url');
}

function toRow(hold: HoldRecord): HoldRow {
  return {
    id: hold.id,
    sync: hold.sync,
    run: hold.run,
    class: hold.class,
    reason: hold.reason,
    digest: hold.digest,
    hashes: JSON.stringify(sorted(hold.hashes)),
    hashes_key: keyOf(hold.hashes),
    held_at: hold.heldAt,
    expires_at: hold.expiresAt,
    state: hold.state,
  };
}

function toHold(row: Selectable<HoldRow>): HoldRecord {
  return {
    id: row.id,
    sync: row.sync,
    run: row.run,
    class: row.class,
    reason: row.reason,
    digest: row.digest,
    hashes: JSON.parse(row.hashes) as string[],
    heldAt: Number(row.held_at),
    expiresAt: Number(row.expires_at),
    state: row.state,
  };
}
