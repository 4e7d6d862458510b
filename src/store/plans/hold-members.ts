import { createHash } from 'node:crypto';
import { type ExpressionBuilder, type JoinBuilder, type Selectable, sql } from 'kysely';
import type { ChangeClass } from '../../core/plan/change.ts';
import { given } from '../../core/run/given.ts';
import type { HoldFacts } from '../../ports/store.ts';
import type { Database, OpenTransaction, Schema } from '../db/database.ts';
import { fields } from '../db/fields.ts';
import { classMask, stated, statedAs } from './changes.ts';
import { decisionAbout, inPiece, type PlanPiece, piecesOf } from './plan-access.ts';

/**
 * The members of a hold are the held changes of its run's plan that are in its class. What became of each one is in its
 * decision, so a hold has no list of its own.
 */
export type HoldFactsRow = Selectable<Schema['holds']>;

/** What became of a held change that no longer waits for a person. */
type SettledState = 'approved' | 'rejected' | 'expired';

interface Times {
  readonly sync: string;
  readonly now: number;
}

/** A decision that waits for a person at this instant. */
export function isWaiting(now: number) {
  return (eb: ExpressionBuilder<Schema, 'decisions'>) =>
    eb.and([
      eb('decisions.state', '=', 'open'),
      eb('decisions.ended_at', 'is', null),
      eb('decisions.expires_at', '>', now),
    ]);
}

/** Any other decision. */
export function isSettled(now: number) {
  return (eb: ExpressionBuilder<Schema, 'decisions'>) => eb.not(isWaiting(now)(eb));
}

/** Reads members of these classes and their decisions, a piece of the plan at a time. */
function heldIn(db: Database, piece: PlanPiece, mask: number) {
  return db
    .selectFrom(stated)
    .where(inPiece(piece))
    .where('changes.state', '=', 'held')
    .where((eb) => eb(eb('changes.classes', '&', mask), '!=', 0));
}

/** The decision about a change. */
export function ofChange<Join extends JoinBuilder<Schema, 'changes' | 'decisions'>>(join: Join, sync: string) {
  return join
    .on('decisions.sync', '=', sync)
    .onRef('decisions.identification', '=', 'changes.identification')
    .onRef('decisions.hash', '=', 'changes.hash');
}

export interface MemberSummary {
  readonly size: number;
  /** Equal for the same changes: the sha256 of their hashes in order of identification, with commas in between. */
  readonly key: string;
}

/** Reads the members of several holds of one plan, in one pass. */
export async function summarize(
  db: Database,
  plan: string,
  classes: readonly ChangeClass[],
): Promise<ReadonlyMap<ChangeClass, MemberSummary>> {
  const sums = classes.map((name) => ({ name, mask: classMask([name]), size: 0, hash: createHash('sha256') }));
  for await (const piece of classes.length === 0 ? [] : piecesOf(db, plan)) {
    const rows = await heldIn(db, piece, classMask(classes))
      .select(['changes.hash', 'changes.classes'])
      .orderBy('changes.identification')
      .execute();
    for (const sum of sums) {
      for (const row of rows) {
        if ((row.classes & sum.mask) === 0) continue;
        sum.hash.update(sum.size === 0 ? row.hash : `,${row.hash}`);
        sum.size += 1;
      }
    }
  }
  return new Map(sums.map(({ name, size, hash }) => [name, { size, key: hash.digest('base64url') }]));
}

/** Yields the hashes of the members, a page at a time, in order of identification. */
export async function* memberHashes(
  db: Database,
  hold: Pick<HoldFactsRow, 'run' | 'class'>,
): AsyncGenerator<readonly string[], void> {
  for await (const piece of piecesOf(db, hold.run)) {
    const rows = await heldIn(db, piece, classMask([hold.class]))
      .select('changes.hash')
      .orderBy('changes.identification')
      .execute();
    if (rows.length > 0) yield rows.map(({ hash }) => hash);
  }
}

/** Closes holds of which no change waits any longer, and corrects those that were decided otherwise before. */
export async function restateHolds(db: OpenTransaction, { sync, now }: Times): Promise<void> {
  const rows = await db
    .selectFrom('holds')
    .selectAll()
    .where('sync', '=', sync)
    .where('state', '!=', 'expired')
    .where('expires_at', '>', now)
    .execute();
  for (const hold of rows) {
    const next = await stateOf(db, hold, { sync, now, since: oldestOf(rows) });
    if (next === hold.state || next === 'open') continue;
    await db.updateTable('holds').set({ state: next }).where('id', '=', hold.id).execute();
  }
}

/**
 * Closes those of which no change waits, and those whose waiting changes are all in the run's own holds. The
 * others stay open: the run did not decide about their people.
 */
export async function closeOthers(
  db: OpenTransaction,
  others: readonly HoldFactsRow[],
  own: { readonly run: string; readonly classes: readonly ChangeClass[] },
  { sync, now }: Times,
): Promise<void> {
  for (const hold of others) {
    if (await waitsBeside(db, hold, own, { sync, now })) continue;
    const state = await stateOf(db, hold, { sync, now, since: oldestOf(others) });
    await db
      .updateTable('holds')
      .set({ state: state === 'open' ? 'expired' : state })
      .where('id', '=', hold.id)
      .execute();
  }
}

/** Returns whether a change of the hold waits that is in none of the run's own holds. */
async function waitsBeside(
  db: OpenTransaction,
  hold: HoldFactsRow,
  own: { readonly run: string; readonly classes: readonly ChangeClass[] },
  { sync, now }: Times,
): Promise<boolean> {
  for await (const piece of piecesOf(db, hold.run)) {
    const waiting = await heldIn(db, piece, classMask([hold.class]))
      .select('changes.hash')
      .where((eb) => eb.exists(decisionAbout(eb, sync).where(isWaiting(now))))
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom(statedAs('own'))
              .select('own.hash')
              .where('own.plan', '=', own.run)
              .whereRef('own.identification', '=', 'changes.identification')
              .whereRef('own.hash', '=', 'changes.hash')
              .where('own.state', '=', 'held')
              .where((eb) => eb(eb('own.classes', '&', classMask(own.classes)), '!=', 0)),
          ),
        ),
      )
      .limit(1)
      .executeTakeFirst();
    if (waiting !== undefined) return true;
  }
  return false;
}

/** Returns the state of a hold, by what became of its changes. Decisions that ended before `since` count as open. */
async function stateOf(
  db: OpenTransaction,
  hold: HoldFactsRow,
  times: Times & { readonly since: number },
): Promise<'open' | 'decided' | SettledState> {
  const states = new Set<SettledState>();
  for await (const piece of piecesOf(db, hold.run)) {
    const found = await heldIn(db, piece, classMask([hold.class]))
      .leftJoin('decisions', (join) => ofChange(join, times.sync))
      .select(becameAt(times).as('became'))
      .distinct()
      .execute();
    for (const { became } of found) {
      if (became === 'open') return 'open';
      states.add(became);
    }
  }
  if (states.has('approved')) return states.has('rejected') ? 'decided' : 'approved';
  return states.has('rejected') ? 'rejected' : 'expired';
}

/** What became of a held change, from its decision. Without one it waits. */
function becameAt({ now, since }: { readonly now: number; readonly since: number }) {
  return sql<'open' | SettledState>`case
    when decisions.state is null or decisions.ended_at < ${since} then 'open'
    when decisions.ended_at is not null or (decisions.run is null and decisions.expires_at <= ${now}) then 'expired'
    else decisions.state end`;
}

function oldestOf(rows: readonly HoldFactsRow[]): number {
  return Math.min(...rows.map(({ held_at }) => held_at));
}

export type HoldCounts = Awaited<ReturnType<typeof countMembers>>;

/**
 * Counts the distinct changes that wait, in total and by class. Runs about a few people hold some changes again, so those
 * of a run are compared with those of the runs counted before it.
 */
export async function countMembers(db: Database, rows: readonly HoldFactsRow[], times: Times) {
  let changes = 0;
  const since: number[] = [];
  const byClass = new Map<ChangeClass, number>(rows.map((row) => [row.class, 0]));
  const settledSince = { ...times, since: oldestOf(rows) };
  const runs = [...Map.groupBy(rows, ({ run }) => run)].map(([run, holds]) => ({
    run,
    classes: holds.map((hold) => hold.class),
  }));
  for (const [at, { run, classes }] of runs.entries()) {
    const earlier = runs.slice(0, at);
    for await (const piece of piecesOf(db, run)) {
      const groups = await heldIn(db, piece, classMask(classes))
        .leftJoin('decisions', (join) => ofChange(join, times.sync))
        .select((eb) => ['changes.classes', eb.fn.countAll<number>().as('count'), countedIn(earlier).as('counted')])
        .select(({ fn }) => fn.min('decisions.at').filterWhere('decisions.ended_at', 'is', null).as('since'))
        .where(becameAt(settledSince), '=', 'open')
        .groupBy(['changes.classes', 'counted'])
        .execute();
      for (const { classes: mask, counted, count, since: at } of groups) {
        since.push(at ?? settledSince.since);
        if (counted === 0) changes += count;
        for (const name of classes) {
          const bit = classMask([name]);
          if ((mask & bit) !== 0 && (counted & bit) === 0) byClass.set(name, (byClass.get(name) ?? 0) + count);
        }
      }
    }
  }
  const [oldest] = since.toSorted((a, b) => a - b);
  return { changes, byClass: Object.fromEntries(byClass), ...given({ since: oldest }) };
}

/** The classes under which these runs hold the same change, as bits. */
function countedIn(runs: readonly { readonly run: string; readonly classes: readonly ChangeClass[] }[]) {
  const parts = runs.map(
    ({ run, classes }) => sql`coalesce((select other.classes & ${classMask(classes)} from ${statedAs('other')}
      where other.plan = ${run} and other.identification = changes.identification and other.hash = changes.hash
      and other.state = 'held'), 0)`,
  );
  return parts.length === 0 ? sql<number>`0` : sql<number>`(${sql.join(parts, sql` | `)})`;
}

export const holdFields = fields<HoldFacts, 'holds'>('holds', { members_key: null }, { heldBefore: 'optional' });
