import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { RestoreEffects } from '../../ports/store-operations.ts';
import { appendAudit } from '../audit/chain.ts';
import type { OpenTransaction } from '../db/database.ts';
import { addNew } from '../db/row-writer.ts';
import { declaredTables, tables } from '../db/tables.ts';
import { isPlanned } from '../plans/changes.ts';

/** The circumstances of a restore. */
export interface Restored {
  readonly id: string;
  /** By the clock of the store. */
  readonly now: number;
  readonly by: string;
  readonly reason?: string;
  readonly as?: string;
  /** The configured syncs. */
  readonly syncs: readonly string[];
  /** Hashes of the configured first tokens, by name of the row in `tokens`. */
  readonly seeds: ReadonlyMap<string, string>;
}

/**
 * Makes the data of a backup safe to continue with. The platform and the HR system are newer than it, so nothing may
 * rely on what was in progress, approved, counted or valid when the backup was made.
 */
export async function settleRestored(db: OpenTransaction, at: Restored, madeAt: string): Promise<RestoreEffects> {
  const endedRuns = await endRuns(db, at.now, madeAt);
  const cancelledRequests = await affected(
    db.updateTable('triggers').set({ state: 'cancelled' }).where('state', '=', 'waiting'),
  );
  // An approval may have been used since. A rejection stays: without it a small change would be sent unasked.
  const endedApprovals = await affected(
    db
      .updateTable('decisions')
      .set({ expires_at: at.now })
      .where('state', '=', 'approved')
      .where('run', 'is', null)
      .where('ended_at', 'is', null)
      .where('expires_at', '>', at.now),
  );
  const endedHolds = await affected(db.updateTable('holds').set({ state: 'expired' }).where('state', '=', 'open'));
  await forgetAges(db);
  for (const table of declaredTables.filter((name) => tables[name].isDroppedByRestore === true)) {
    await sql`delete from ${sql.table(table)}`.execute(db);
  }
  // The processes of the backup are gone. A fence never falls, so that none of them can write again.
  await db.updateTable('leases').set({ owner: null, until_at: 0, fence: sql`fence + 1` }).execute();
  // A process that still knows the replaced store refuses this one.
  await db.updateTable('store_identity').set({ id: randomUUID(), refused: null }).execute();
  // Notices of the time before the backup were sent since, or are no longer useful.
  await db.deleteFrom('alert_deliveries').where('state', '=', 'waiting').execute();
  const tokens = await keepTokens(db, at);
  for (const sync of at.syncs) {
    await addNew(db, 'pauses', { sync, paused_at: at.now, by_whom: `${at.by} (restore)`, until_at: null });
  }
  const made = Date.parse(madeAt);
  await db.insertInto('restores').values({ id: at.id, at: at.now, made_at: made, by_whom: at.by }).execute();
  const about = { sync: undefined, connection: undefined, run: undefined, detail: `backup of ${madeAt}` };
  await appendAudit(db, { ...at, ...about, at: at.now, action: 'restore' });
  return { endedRuns, cancelledRequests, endedApprovals, endedHolds, tokens, paused: at.syncs };
}

/**
 * A file of these runs may have been sent since: its users wait as after a lost answer, and the next run plans again.
 */
async function endRuns(db: OpenTransaction, now: number, madeAt: string): Promise<number> {
  const open = db.selectFrom('runs').select('id').where('ended_at', 'is', null);
  const reason = `the store was restored from a backup of ${madeAt}, in which this run was in progress. The changes that it sent after the backup are unknown: the next run reads the platform and plans again`;
  const mayBeOut = db
    .selectFrom('batches')
    .select('id')
    .where('run', 'in', open)
    .where('kind', 'not in', ['outbox', 'leaders'])
    .where('state', 'in', ['planned', 'sending', 'sent']);
  await db
    .updateTable('changes')
    .set({ mark: 'unresolved', mark_reason: 'the store was restored while its run was in progress' })
    .where('batch', 'in', mayBeOut)
    .where('mark', 'in', ['planned', 'sent'])
    .execute();
  await db.updateTable('batches').set({ state: 'unresolved', final_at: now }).where('id', 'in', mayBeOut).execute();
  await db
    .updateTable('batches')
    .set({ state: 'settled', reason: 'the store was restored' })
    .where('run', 'in', open)
    .where('kind', 'in', ['outbox', 'leaders'])
    .where('state', '!=', 'settled')
    .execute();
  await db.updateTable('changes').set({ mark: 'dropped' }).where('plan', 'in', open).where(isPlanned).execute();
  // The next run reads the lists of leaders again.
  await db
    .updateTable('changes')
    .set({ mark: 'failed', mark_reason: 'the store was restored while its run was in progress' })
    .where('plan', 'in', open)
    .where('part', '=', 'leaders')
    .where('mark', 'in', ['sent', 'unresolved'])
    .execute();
  return affected(
    db
      .updateTable('runs')
      .set({ phase: 'done', outcome: 'failed', ended_at: now, reason })
      .where('ended_at', 'is', null),
  );
}

/** People may have come back since, so absence is counted from the beginning. */
async function forgetAges(db: OpenTransaction): Promise<void> {
  await db
    .updateTable('ledger')
    .set({ gone_since: null, miss_count: null, miss_since: null, miss_stamp: null, hand_over_since: null })
    .where((eb) =>
      eb.or([
        eb('gone_since', 'is not', null),
        eb('miss_since', 'is not', null),
        eb('hand_over_since', 'is not', null),
      ]),
    )
    .execute();
}

/** No pair is presented before an operator confirms it, because the platform may have granted newer ones since. */
async function keepTokens(db: OpenTransaction, { now, seeds }: Restored): Promise<readonly string[]> {
  const rows = await db.selectFrom('tokens').selectAll().orderBy('connection').execute();
  for (const row of rows) {
    const seed = seeds.get(row.connection);
    const used = JSON.parse(row.used_seeds) as string[];
    const unknown = seed !== undefined && !used.includes(seed) ? seed : null;
    await db
      .updateTable('tokens')
      .set({
        // Neither is presented until an operator confirms it.
        state: row.state === 'reauth-required' ? row.state : 'revoked',
        used_seeds: JSON.stringify(unknown === null ? used : [...used, unknown]),
        refresh_started_at: null,
        retry_at: null,
        attempts: 0,
        restored_at: now,
        restored_seed: unknown,
      })
      .where('connection', '=', row.connection)
      .execute();
  }
  const known = new Set(rows.map(({ connection }) => connection));
  const others = [...seeds].filter(([connection]) => !known.has(connection));
  for (const [connection, seed] of others) {
    // The backup knows no tokens of the connection, and its configured first token may have been used since.
    const used = { used_seeds: JSON.stringify([seed]), attempts: 0, restored_at: now, restored_seed: seed };
    await db
      .insertInto('tokens')
      .values({ connection, generation: 1, state: 'revoked', ...used })
      .execute();
  }
  return [...known, ...others.map(([connection]) => connection)].toSorted();
}

async function affected(query: {
  executeTakeFirst(): Promise<{ readonly numUpdatedRows: bigint } | undefined>;
}): Promise<number> {
  return Number((await query.executeTakeFirst())?.numUpdatedRows ?? 0n);
}
