import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ExpressionBuilder } from 'kysely';
import { conflict, notFound, type RollcallError } from '../../core/run/errors.ts';
import type { OwnedRun } from '../../ports/store.ts';
import { asOwner, type Database, inTransaction, type OpenTransaction, type Schema } from '../db/database.ts';
import { type StatedChange, stated } from './changes.ts';

/**
 * Runs a transaction that writes to a plan, as the owner of its run, or without an owner for a preview plan. Throws
 * `LEASE_LOST` when the caller no longer owns the run, and `CONFLICT` when the plan belongs to another run or to none.
 */
export function asPlanner<T>(
  db: Database,
  owned: OwnedRun | undefined,
  plan: { readonly id: string; readonly run: string | undefined },
  work: (transaction: OpenTransaction) => Promise<T>,
): Promise<T> {
  return asOwnerIfAny(db, owned, async (transaction) => {
    requireOwn(plan, owned);
    return work(transaction);
  });
}

/** Does the same for a plan that was begun. Throws `NOT_FOUND` when no plan has this id. */
export function inPlan<T>(
  db: Database,
  owned: OwnedRun | undefined,
  id: string,
  work: (transaction: OpenTransaction, plan: { readonly digest: string | null }) => Promise<T>,
): Promise<T> {
  return asOwnerIfAny(db, owned, async (transaction) => {
    const plan = await transaction
      .selectFrom('plans')
      .select(['run', 'digest'])
      .where('id', '=', id)
      .executeTakeFirst();
    if (plan === undefined) {
      const message = `the store has no plan ${id}: it was never begun, or another worker has begun the run's plan again.`;
      throw notFound(message);
    }
    requireOwn({ id, run: plan.run ?? undefined }, owned);
    return work(transaction, plan);
  });
}

/** Sets the digest of a plan, after which nothing can be added. Throws `CONFLICT` when it has another one. */
export async function sealPlan(
  db: OpenTransaction,
  plan: { readonly id: string; readonly digest: string | null },
  digest: string,
): Promise<void> {
  if (plan.digest === digest) return;
  if (plan.digest !== null) throw sealed(plan.id);
  await db.updateTable('plans').set({ digest }).where('id', '=', plan.id).execute();
}

export function sealed(planId: string): RollcallError {
  return conflict(`plan ${planId} is sealed: nothing can be added to it, and its digest is final.`);
}

function asOwnerIfAny<T>(
  db: Database,
  owned: OwnedRun | undefined,
  work: (transaction: OpenTransaction) => Promise<T>,
): Promise<T> {
  return owned === undefined ? inTransaction(db, work) : asOwner(db, owned, work);
}

function requireOwn({ id, run }: { readonly id: string; readonly run: string | undefined }, owned?: OwnedRun): void {
  if (run === owned?.run.id) return;
  const whose = run === undefined ? 'is a preview' : `belongs to run ${run}`;
  const who = owned === undefined ? 'no run' : `run ${owned.run.id}`;
  throw conflict(`plan ${id} ${whose}, so ${who} cannot write to it; nothing was written.`);
}

/** Returns the plan of a run. Throws `NOT_FOUND` when the run has none. */
export async function planOfRun(db: OpenTransaction, run: string): Promise<string> {
  const row = await db.selectFrom('plans').select('id').where('run', '=', run).executeTakeFirst();
  if (row === undefined) {
    throw notFound(`run ${run} has no plan in the store, so nothing in it can be changed.`);
  }
  return row.id;
}

/** Changes per statement. All other work of this process waits for the statement. */
export const rowsPerPiece = 2500;

/** A part of a plan's changes: after `after`, up to and including `upTo`, or to the end. */
export interface PlanPiece {
  readonly plan: string;
  readonly after: string;
  readonly upTo: string | undefined;
}

/** Cuts a plan, or what follows `first`, into pieces in order of identification. */
export async function* piecesOf(db: Database, plan: string, first = ''): AsyncGenerator<PlanPiece, void> {
  for (let after = first; ; ) {
    const upTo = await endOfPiece(db, plan, after);
    yield { plan, after, upTo };
    if (upTo === undefined) return;
    after = upTo;
    // A statement that only counts costs far more than its few rows suggest to the connection.
    await nextTurn();
  }
}

/**
 * Yields what `work` returns for each piece of a plan, each in a transaction of its own as in `inPlan`: an unsealed plan
 * is not used by anyone, and 100,000 rows would be one long commit.
 */
export async function* inPieces<T>(
  db: Database,
  owned: OwnedRun | undefined,
  plan: string,
  work: (transaction: OpenTransaction, piece: PlanPiece) => Promise<T>,
): AsyncGenerator<T, void> {
  for (let after = ''; ; ) {
    const { upTo, result } = await inPlan(db, owned, plan, async (transaction) => {
      const end = await endOfPiece(transaction, plan, after);
      return { upTo: end, result: await work(transaction, { plan, after, upTo: end }) };
    });
    yield result;
    if (upTo === undefined) return;
    after = upTo;
    await nextTurn();
  }
}

/** Returns the last identification of the piece; undefined for the last piece. */
async function endOfPiece(db: Database, plan: string, after: string): Promise<string | undefined> {
  const end = await db
    .selectFrom('changes')
    .select('identification')
    .where('plan', '=', plan)
    .where('identification', '>', after)
    .orderBy('identification')
    .limit(1)
    .offset(rowsPerPiece - 1)
    .executeTakeFirst();
  return end?.identification;
}

/** Returns a condition on `changes`: within this piece of the plan. */
export function inPiece({ plan, after, upTo }: PlanPiece) {
  return (eb: ExpressionBuilder<Schema, 'changes'>) =>
    eb.and([
      eb('changes.plan', '=', plan),
      eb('changes.identification', '>', after),
      ...(upTo === undefined ? [] : [eb('changes.identification', '<=', upTo)]),
    ]);
}

/** Returns a condition on `decisions`: about people of this piece. */
export function aboutPiece({ after, upTo }: PlanPiece) {
  return (eb: ExpressionBuilder<Schema, 'decisions'>) =>
    eb.and([
      eb('decisions.identification', '>', after),
      ...(upTo === undefined ? [] : [eb('decisions.identification', '<=', upTo)]),
    ]);
}

/** Deletes a plan and its changes piece by piece. Otherwise one cascading statement would delete them all. */
export async function dropPlan(db: OpenTransaction, plan: string): Promise<void> {
  for await (const piece of piecesOf(db, plan)) await db.deleteFrom('changes').where(inPiece(piece)).execute();
  await db.deleteFrom('plans').where('id', '=', plan).execute();
}

type Group<Name extends keyof StatedChange> = Pick<StatedChange, Name> & {
  readonly count: number;
};

/**
 * Counts the changes of plans in groups that are equal in these columns, of which `plan` is one if there are several plans.
 * Small plans are counted together, and a large one piece by piece.
 */
export async function countChanges<Name extends keyof StatedChange>(
  db: Database,
  plans: readonly string[],
  columns: readonly Name[],
): Promise<readonly Group<Name>[]> {
  const [plan] = plans;
  if (plan === undefined) return [];
  const names: readonly (keyof StatedChange)[] = columns;
  const groupsOf = async (changes: 'first' | PlanPiece): Promise<readonly Group<Name>[]> => {
    const some =
      changes === 'first'
        ? db.selectFrom(stated).where('plan', 'in', plans).limit(rowsPerPiece)
        : db.selectFrom(stated).where(inPiece(changes));
    const groups = await db
      .selectFrom(some.select(names).as('piece'))
      .select(names)
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .groupBy(names)
      .execute();
    return groups as unknown as readonly Group<Name>[];
  };
  // Most plans are one piece, and then one statement is enough.
  const first = await groupsOf('first');
  if (first.reduce((sum, { count }) => sum + count, 0) < rowsPerPiece) return first;
  if (plans.length > 1) {
    const half = Math.ceil(plans.length / 2);
    const halves = [plans.slice(0, half), plans.slice(half)];
    return (await Promise.all(halves.map((some) => countChanges(db, some, columns)))).flat();
  }
  const sums = new Map<string, Group<Name>>();
  for await (const piece of piecesOf(db, plan)) {
    for (const counted of await groupsOf(piece)) {
      const key = JSON.stringify(columns.map((name) => counted[name]));
      sums.set(key, { ...counted, count: (sums.get(key)?.count ?? 0) + counted.count });
    }
  }
  return [...sums.values()];
}

/** The decision about a change. */
export function decisionAbout(eb: ExpressionBuilder<Schema, 'changes'>, sync: string) {
  return eb
    .selectFrom('decisions')
    .select('decisions.hash')
    .where('decisions.sync', '=', sync)
    .whereRef('decisions.identification', '=', 'changes.identification')
    .whereRef('decisions.hash', '=', 'changes.hash');
}

/** The plan's changes of the same person by the same rule as the decision. */
export function proposalsAbout(eb: ExpressionBuilder<Schema, 'decisions'>, plan: string) {
  return eb
    .selectFrom(stated)
    .select('changes.hash')
    .where('changes.plan', '=', plan)
    .whereRef('changes.identification', '=', 'decisions.identification')
    .whereRef('changes.rule', '=', 'decisions.rule');
}
