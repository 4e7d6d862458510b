import { type Selectable, sql } from 'kysely';
import { runLease } from '../ports/leases.ts';
import { quarterMs } from '../ports/reports.ts';
import type { IdleRuns, Run } from '../ports/runs.ts';
import type { OpenTransaction } from './db/database.ts';
import type { Schema } from './db/schema.ts';

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
