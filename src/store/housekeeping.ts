import { type Selectable, sql } from 'kysely';
import { runLease } from '../ports/leases.ts';
import { quarterMs } from '../ports/reports.ts';
import { type IdleRuns, type PruneOthers, phases, type Run } from '../ports/runs.ts';
import { type Database, inTransaction, type OpenTransaction } from './db/database.ts';
import type { Schema } from './db/schema.ts';
import { dropPlan, inPiece, piecesOf } from './plans/plan-access.ts';

/** How far back guards count applied changes (design, section 7). */
const guardWindowMs = 24 * 3_600_000;

/**
 * Drops findings, changes, batches and holds of runs that ended before `before`, except the newest `keep` of each sync,
 * with approvals, triggers and directories of the same age, and audit entries, shown plans and previews from before `others`. Keeps the runs
 * themselves, batches whose effect is not known with their changes, what a guard may still count, and each sync's newest
 * schedule slot and last complete read. Returns how many runs lost their details for good.
 */
export async function pruneRuns(
  db: Database,
  before: number,
  keep: number,
  others: Required<PruneOthers>,
): Promise<number> {
  const ended = await db
    .selectFrom((eb) =>
      eb
        .selectFrom('runs')
        .select(['id', 'ended_at', 'is_pruned', 'phase'])
        .select((row) =>
          row.fn
            .agg<number>('row_number')
            .over((over) => over.partitionBy('sync').orderBy('started_at', 'desc').orderBy('id', 'desc'))
            .as('rank'),
        )
        .as('ranked'),
    )
    .select('id')
    .where('rank', '>', keep)
    .where('ended_at', '<', before)
    .where('is_pruned', '=', 0)
    .where('phase', 'in', phases)
    .execute();
  let pruned = 0;
  // One transaction per run: a worker that writes meanwhile waits for the rows of one run only.
  for (const { id } of ended) {
    if (await inTransaction(db, (transaction) => pruneRun(transaction, id, before))) pruned++;
  }
  await pruneShown(db, others.shown);
  await inTransaction(db, async (transaction) => {
    await pruneLoose(transaction, before);
    await transaction.deleteFrom('audit').where('at', '<', others.audit).execute();
    // One that stands is kept, however old it is.
    await transaction
      .deleteFrom('standing_decisions')
      .where((eb) => eb.or([eb('ended_at', '<', others.audit), eb('until_at', '<', others.audit)]))
      .execute();
    await transaction.deleteFrom('previews').where('expires_at', '<', others.previews).execute();
    const old = transaction.selectFrom('directories').select('sync').where('read_at', '<', before);
    await transaction.deleteFrom('directory_pages').where('sync', 'in', old).execute();
    await transaction.deleteFrom('directories').where('read_at', '<', before).execute();
  });
  return pruned;
}

async function pruneRun(db: OpenTransaction, run: string, before: number): Promise<boolean> {
  await db.deleteFrom('findings').where('run', '=', run).execute();
  await db.deleteFrom('raw_texts').where('run', '=', run).execute();
  const plan = await db.selectFrom('plans').select('id').where('run', '=', run).executeTakeFirst();
  for await (const piece of plan === undefined ? [] : piecesOf(db, plan.id)) {
    await db
      .deleteFrom('changes')
      .where(inPiece(piece))
      .where((eb) => eb.or([eb('applied_at', 'is', null), eb('applied_at', '<', before - guardWindowMs)]))
      .where((eb) => eb.or([eb('batch', 'is', null), eb('batch', 'not in', unknownBatches(db, run))]))
      .execute();
  }
  await db
    .deleteFrom('batches')
    .where('run', '=', run)
    .where('id', 'not in', unknownBatches(db, run))
    .where((eb) =>
      eb.not(eb.exists(eb.selectFrom('changes').select('changes.batch').whereRef('changes.batch', '=', 'batches.id'))),
    )
    .execute();
  await db
    .deleteFrom('plans')
    .where('run', '=', run)
    .where((eb) =>
      eb.not(eb.exists(eb.selectFrom('changes').select('changes.plan').whereRef('changes.plan', '=', 'plans.id'))),
    )
    .execute();
  if (await hasDetails(db, run)) return false;
  await db.deleteFrom('hold_runs').where('run', '=', run).execute();
  await db.deleteFrom('leases').where('name', '=', runLease(run)).execute();
  await db.updateTable('runs').set({ is_pruned: 1 }).where('id', '=', run).execute();
  return true;
}

function unknownBatches(db: OpenTransaction, run: string) {
  return (
    db
      .selectFrom('batches as unknown')
      .select('unknown.id')
      .where('unknown.run', '=', run)
      .where('unknown.kind', '!=', 'outbox')
      // States that a newer version wrote count as unknown too.
      .where('unknown.state', 'not in', ['planned', 'settled'])
  );
}

async function hasDetails(db: OpenTransaction, run: string): Promise<boolean> {
  const plan = await db.selectFrom('plans').select('id').where('run', '=', run).executeTakeFirst();
  const batch = await db.selectFrom('batches').select('id').where('run', '=', run).limit(1).executeTakeFirst();
  return plan !== undefined || batch !== undefined;
}

/** Drops preview plans with their changes, one transaction per plan. */
async function pruneShown(db: Database, before: number): Promise<void> {
  const shown = await db
    .selectFrom('plans')
    .select('id')
    .where('run', 'is', null)
    .where('made_at', '<', before)
    .execute();
  for (const { id } of shown) await inTransaction(db, (transaction) => dropPlan(transaction, id));
}

async function pruneLoose(db: OpenTransaction, before: number): Promise<void> {
  // A rejection counts as long as its episode lasts, however old it is.
  await db
    .deleteFrom('decisions')
    .where((eb) => eb.or([eb('ended_at', '<', before), eb('expires_at', '<', before)]))
    .execute();
  await db
    .deleteFrom('holds')
    .where('expires_at', '<', before)
    .where((eb) =>
      eb.not(eb.exists(eb.selectFrom('hold_runs').select('hold_runs.run').whereRef('hold_runs.hold', '=', 'holds.id'))),
    )
    .execute();
  await db
    .deleteFrom('triggers')
    .where('requested_at', '<', before)
    .where('state', '!=', 'waiting')
    .where((eb) =>
      eb.or([
        eb('kind', '!=', 'schedule'),
        eb.exists(
          eb
            .selectFrom('triggers as newer')
            .select('newer.id')
            .whereRef('newer.sync', '=', 'triggers.sync')
            .where('newer.kind', '=', 'schedule')
            .whereRef('newer.requested_at', '>', 'triggers.requested_at'),
        ),
      ]),
    )
    .execute();
  await db
    .deleteFrom('reads')
    .where('run', 'in', (eb) => eb.selectFrom('runs').select('id').where('is_pruned', '=', 1))
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('reads as newer')
          .innerJoin('runs as later', 'later.id', 'newer.run')
          .select('newer.run')
          .whereRef('newer.sync', '=', 'reads.sync')
          .whereRef('newer.read_at', '>', 'reads.read_at')
          .where('later.ended_at', 'is not', null)
          .where('newer.is_accepted', '=', 1),
      ),
    )
    .execute();
}

/** Days are counted from the ends of runs, at most 90 of them. */
const endsKeptMs = 92 * 86_400_000;

/**
 * `RunEffects.absorbs`: deletes the run that ended before this one if this one stands for it. Keeps what others ask about
 * it: the time of its read, and in which quarter of an hour it ended. Returns undefined when both are kept.
 */
export async function absorbIdle(
  db: OpenTransaction,
  run: Run,
  absorbs: (before: Selectable<Schema['runs']>) => boolean,
): Promise<IdleRuns | undefined> {
  const before = await db
    .selectFrom('runs')
    .selectAll()
    .where('sync', '=', run.sync)
    .where('ended_at', 'is not', null)
    .where('id', '!=', run.id)
    .orderBy('ended_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (before === undefined || !absorbs(before) || !(await isCovered(db, before.id, run.id))) return undefined;
  const { count, first, since } =
    before.idle === null
      ? { count: 1, first: before.id, since: before.started_at }
      : (JSON.parse(before.idle) as IdleRuns);
  const idle: IdleRuns = { count: count + 1, first, since };
  await db
    .updateTable('runs')
    .set({ idle: JSON.stringify(idle) })
    .where('id', '=', run.id)
    .execute();
  const readBefore = db.selectFrom('reads').select('read_at').where('run', '=', before.id);
  await db
    .updateTable('reads')
    .set({ before_at: sql`(${readBefore})` })
    .where('run', '=', run.id)
    .execute();
  await countEnd(db, before.sync, before.ended_at ?? 0);
  await db
    .deleteFrom('triggers')
    .where('sync', '=', before.sync)
    .where('kind', '=', 'schedule')
    .where('run', '=', before.id)
    .execute();
  await db.deleteFrom('leases').where('name', '=', runLease(before.id)).execute();
  // Findings, read, plan and changes go with it.
  await db.deleteFrom('runs').where('id', '=', before.id).execute();
  return idle;
}

/** Returns whether the later run has everything that the earlier one showed: its findings, its changes, an accepted read. */
async function isCovered(db: OpenTransaction, before: string, run: string): Promise<boolean> {
  const findings = (of: string) =>
    db.selectFrom('findings').select(['code', 'identification', 'place', 'message', 'people']).where('run', '=', of);
  const changes = (of: string) =>
    db
      .selectFrom('changes')
      .innerJoin('plans', 'plans.id', 'changes.plan')
      .select(['changes.identification', 'changes.hash', 'changes.state'])
      .where('plans.run', '=', of);
  const reads = (of: string) => db.selectFrom('reads').select('is_accepted').where('run', '=', of);
  const others = await Promise.all([
    findings(before).except(findings(run)).execute(),
    findings(run).except(findings(before)).execute(),
    changes(before).except(changes(run)).execute(),
    changes(run).except(changes(before)).execute(),
    reads(before).except(reads(run)).execute(),
    // What another system sent is shown at the run that received it.
    db.selectFrom('raw_texts').select('number').where('run', '=', before).execute(),
  ]);
  return others.every(({ length }) => length === 0);
}

async function countEnd(db: OpenTransaction, sync: string, endedAt: number): Promise<void> {
  const at = Math.floor(endedAt / quarterMs) * quarterMs;
  await db
    .insertInto('idle_ends')
    .values({ sync, at, count: 1 })
    .onConflict((conflict) => conflict.columns(['sync', 'at']).doUpdateSet({ count: sql`idle_ends.count + 1` }))
    .execute();
  await db
    .deleteFrom('idle_ends')
    .where('sync', '=', sync)
    .where('at', '<', at - endsKeptMs)
    .execute();
}
