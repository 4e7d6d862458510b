import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { chunk } from '../core/batch.ts';
import type { HoldRecord, Holds } from '../ports/store.ts';
import { asOwner, type Database, inTransaction, type OpenTransaction } from './database.ts';
import { decisionsOf, lockName } from './differences.ts';
import { type HoldFactsRow, holdFacts, openHoldHashes } from './hold-hashes.ts';
import { RowWriter } from './row-writer.ts';
import type { ApprovalRow, HoldRow } from './schema.ts';

/**
 * How long a rejection applies to a change that stays the same (design, section 4; contract of `Holds.rejected`). Short
 * enough that a real leaver who was rejected by mistake is held again soon.
 */
const rejectionMs = 7 * 24 * 3_600_000;

/** Number of hashes that are sorted before other work of this process gets a turn. */
const sortedPerTurn = 10_000;

/** Decisions per statement. A hash has 64 characters. */
const decidedPerPiece = 5000;

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

  const known = openHoldHashes(db);

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
    async renew(owned, holds) {
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
        if (owned.run.scope.kind === 'users') return;
        for (const { id } of open.filter((row) => !renewed.has(row.id))) {
          await transaction.updateTable('holds').set({ state: 'expired' }).where('id', '=', id).execute();
        }
      });
    },

    async open(sync, now) {
      const rows = (await openRows(db, sync)).filter((row) => row.expires_at > now);
      return known.count(sync, rows);
    },

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

    approve: (sync, hashes, { by, now, expiresAt }) =>
      decide(hashes, now, { sync, decision: 'approved', by_whom: by, expires_at: expiresAt }),

    reject: (sync, hashes, by, now) =>
      decide(hashes, now, { sync, decision: 'rejected', by_whom: by, expires_at: now + rejectionMs }),

    rejected: (sync, now) => decided(db, sync, 'rejected', now),
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

async function decided(
  db: Database,
  sync: string,
  decision: ApprovalRow['decision'],
  now: number,
): Promise<Set<string>> {
  const found = new Set<string>();
  for (let after = ''; ; ) {
    const rows = await db
      .selectFrom('approvals')
      .select('hash')
      .where('sync', '=', sync)
      .where('hash', '>', after)
      .where('decision', '=', decision)
      .where('expires_at', '>', now)
      .where('run', 'is', null)
      .orderBy('hash')
      .limit(decidedPerPiece)
      .execute();
    for (const { hash } of rows) found.add(hash);
    const last = rows.at(-1);
    if (last === undefined || rows.length < decidedPerPiece) return found;
    after = last.hash;
  }
}

/** Closes open holds whose changes all have the same decision. */
async function closeDecided(db: OpenTransaction, sync: string, now: number): Promise<void> {
  const open = await openHoldHashes(db).complete(await openRows(db, sync));
  for (const state of ['approved', 'rejected'] as const) {
    const hashes = await decided(db, sync, state, now);
    for (const row of open) {
      if (!row.hashes.every((hash) => hashes.has(hash))) continue;
      await db.updateTable('holds').set({ state }).where('id', '=', row.id).execute();
    }
  }
}

/** Returns each hash once, in order. Sorts by prefix, so that other work of this process gets a turn in between. */
async function sorted(hashes: readonly string[]): Promise<string[]> {
  const groups = new Map<string, Set<string>>();
  for (const [i, hash] of hashes.entries()) {
    const beginning = hash.slice(0, 2);
    const group = groups.get(beginning);
    if (group === undefined) groups.set(beginning, new Set([hash]));
    else group.add(hash);
    if ((i + 1) % sortedPerTurn === 0) await nextTurn();
  }
  const all: string[] = [];
  let turn = sortedPerTurn;
  for (const beginning of [...groups.keys()].sort()) {
    for (const hash of [...(groups.get(beginning) ?? [])].sort()) all.push(hash);
    if (all.length < turn) continue;
    turn = all.length + sortedPerTurn;
    await nextTurn();
  }
  return all;
}

/** Returns the same key for the same hashes in the same order. */
async function keyOf(hashes: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const [i, some] of chunk(hashes, sortedPerTurn).entries()) {
    hash.update(`${i === 0 ? '' : ','}${some.join()}`);
    await nextTurn();
  }
  return hash.digest('base64url');
}

async function toRow(hold: HoldRecord): Promise<HoldRow> {
  const hashes = await sorted(hold.hashes);
  const hashesKey = await keyOf(hashes);
  const text = JSON.stringify(hashes);
  await nextTurn();
  return {
    id: hold.id,
    sync: hold.sync,
    run: hold.run,
    class: hold.class,
    reason: hold.reason,
    digest: hold.digest,
    hashes: text,
    hashes_key: hashesKey,
    held_at: hold.heldAt,
    expires_at: hold.expiresAt,
    state: hold.state,
  };
}
