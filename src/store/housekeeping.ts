import { sql } from 'kysely';
import { runLease } from '../ports/leases.ts';
import { type PruneOthers, phases } from '../ports/runs.ts';
import { pruneAudit } from './audit/chain.ts';
import { signIn } from './audit/signing.ts';
import { type Database, inTransaction, type OpenTransaction, type Schema } from './db/database.ts';
import type { KeyRing } from './db/key-ring.ts';
import { dropPlan, inPiece, piecesOf } from './plans/plan-access.ts';

/** How far back guards count applied changes (design, section 7). */
const guardWindowMs = 24 * 3_600_000;

/**
 * Drops findings, changes, batches and holds of runs that ended before `before`, except the newest `keep` of each sync,
 * with approvals, triggers and directories of the same age, and audit entries, shown plans and previews from before `others`. Keeps the runs
 * themselves, batches whose effect is not known with their changes, what a guard may still count, and each sync's newest
 * schedule slot and last complete read. A run without changes that is not among the newest `others.unchanged` of its sync
 * shrinks at any age to its times and its read. Returns how many runs lost their details for good.
 */
export async function pruneRuns(
  { db, keys }: { readonly db: Database; readonly keys: KeyRing },
  before: number,
  keep: number,
  others: Required<PruneOthers>,
): Promise<number> {
  const ended = await db
    .selectFrom((eb) =>
      eb
        .selectFrom('runs')
        .select(['id', 'ended_at', 'is_pruned', 'phase', 'outcome'])
        .select((row) =>
          row.fn
            .agg<number>('row_number')
            .over((over) => over.partitionBy('sync').orderBy('started_at', 'desc').orderBy('id', 'desc'))
            .as('rank'),
        )
        .as('ranked'),
    )
    .select(['id', 'ended_at'])
    .where((eb) =>
      eb.or([
        eb.and([eb('rank', '>', keep), eb('ended_at', '<', before)]),
        eb.and([eb('rank', '>', others.unchanged), eb('outcome', '=', 'nothing-to-do')]),
      ]),
    )
    .where('is_pruned', '=', 0)
    .where('phase', 'in', phases)
    // Findings are folded into those of the run before.
    .orderBy('rank', 'desc')
    .execute();
  let pruned = 0;
  // One transaction per run: a worker that writes meanwhile waits for the rows of one run only.
  for (const run of ended) {
    if (await inTransaction(db, (transaction) => pruneRun(transaction, run, before))) pruned++;
  }
  await pruneShown(db, others.shown);
  await inTransaction(db, async (transaction) => {
    await pruneLoose(transaction, before);
    await prunePast(transaction, before);
    await pruneAudit(transaction, others.audit, (text) => signIn(transaction, keys, text));
    // One that stands is kept, however old it is.
    await transaction
      .deleteFrom('standing_decisions')
      .where((eb) => eb.or([eb('ended_at', '<', others.audit), eb('until_at', '<', others.audit)]))
      .execute();
    await transaction.deleteFrom('leavers').where('ended_at', '<', others.audit).execute();
    await transaction.deleteFrom('previews').where('expires_at', '<', others.previews).execute();
    const old = transaction.selectFrom('directories').select('sync').where('read_at', '<', before);
    await transaction.deleteFrom('directory_pages').where('sync', 'in', old).execute();
    await transaction.deleteFrom('directories').where('read_at', '<', before).execute();
  });
  return pruned;
}

type Ended = Pick<Schema['runs'], 'id' | 'ended_at'>;

async function pruneRun(db: OpenTransaction, { id: run, ended_at: endedAt }: Ended, before: number): Promise<boolean> {
  await shrinkUnchanged(db, run);
  if ((endedAt ?? 0) >= before) await foldFindings(db, run);
  else await deleteFindings(db, run, before);
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

/**
 * Keeps of the findings of a run without changes those that the run before did not tell. The others are kept there, as told
 * until this run began.
 */
async function foldFindings(db: OpenTransaction, id: string): Promise<void> {
  const run = await db.selectFrom('runs').select(['sync', 'started_at']).where('id', '=', id).executeTakeFirstOrThrow();
  const { sync, started_at: until } = run;
  const before = await db
    .selectFrom('runs')
    .select(['id', 'started_at'])
    .where('sync', '=', sync)
    .where('started_at', '<', until)
    .orderBy('started_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  const same = sql`findings as own join findings as told on told.identification = own.identification
    and told.code = own.code and told.message = own.message where own.run = ${id}`;
  await sql`update findings set until_at = ${until} where (run, number) in (
    select told.run, told.number from ${same} and (told.run = ${before?.id ?? ''}
      or (told.until_at = ${before?.started_at ?? 0} and told.run in (select id from runs where sync = ${sync}))))`.execute(
    db,
  );
  await sql`delete from findings where run = ${id} and (identification is null or number in (
    select own.number from ${same} and told.run != own.run and told.until_at = ${until}))`.execute(db);
  await db.updateTable('findings').set({ until_at: until }).where('run', '=', id).execute();
}

/** Deletes what is older than the retention. */
async function prunePast(db: OpenTransaction, before: number): Promise<void> {
  await db.deleteFrom('findings').where('until_at', '<', before).execute();
  await db.deleteFrom('standings').where('at', '<', before).execute();
  await db.updateTable('rosters').set({ known_since: before }).where('known_since', '<', before).execute();
}

/** Those that later runs told too are kept as long as these are. */
async function deleteFindings(db: OpenTransaction, run: string, before: number): Promise<void> {
  await db
    .deleteFrom('findings')
    .where('run', '=', run)
    .where((eb) => eb.or([eb('until_at', 'is', null), eb('until_at', '<', before)]))
    .execute();
}

/** Keeps of a run without changes its read, which has the digest of the configuration. A roster needs the plan of its run. */
async function shrinkUnchanged(db: OpenTransaction, run: string): Promise<void> {
  await db
    .updateTable('runs')
    .set({ plan: null, delivery: null, end_facts: null, requests: null, phases: null })
    .where((eb) => eb.and({ id: run, outcome: 'nothing-to-do' }))
    .where('id', 'not in', db.selectFrom('rosters').select('run'))
    .execute();
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
  const pruned = db.selectFrom('runs').select('id').where('is_pruned', '=', 1);
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
    .where((eb) =>
      eb.or([eb('requested_at', '<', before), eb.and([eb('kind', '=', 'schedule'), eb('run', 'in', pruned)])]),
    )
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
    .where('run', 'in', pruned)
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
