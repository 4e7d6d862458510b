import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ExpressionBuilder, Selectable } from 'kysely';
import { RollcallError } from '../../core/run/errors.ts';
import type { OwnedRun } from '../../ports/store.ts';
import { asOwner, type Database, inTransaction, type OpenTransaction } from '../db/database.ts';
import type { ChangeRow, Schema } from '../db/schema.ts';

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
      throw new RollcallError(message, { code: 'NOT_FOUND' });
    }
    requireOwn({ id, run: plan.run ?? undefined }, owned);
    return work(transaction, plan);
  });
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
  throw new RollcallError(`plan ${id} ${whose}, so ${who} cannot write to it; nothing was written.`, {
    code: 'CONFLICT',
  });
}

/** Changes per statement. All other work of this process waits for the statement. */
const pieceRows = 2500;

/** A part of a plan's changes: after `after`, up to and including `upTo`, or to the end. */
export interface PlanPiece {
  readonly plan: string;
  readonly after: string;
  readonly upTo: string | undefined;
}

/** Cuts a plan, or what follows `first`, into pieces in order of identification. */
export async function* piecesOf(db: Database, plan: string, first = ''): AsyncGenerator<PlanPiece, void> {
  for (let after = first; ; ) {
    const end = await db
      .selectFrom('changes')
      .select('identification')
      .where('plan', '=', plan)
      .where('identification', '>', after)
      .orderBy('identification')
      .limit(1)
      .offset(pieceRows - 1)
      .executeTakeFirst();
    yield { plan, after, upTo: end?.identification };
    if (end === undefined) return;
    after = end.identification;
    // A statement that only counts costs far more than its few rows suggest to the connection.
    await nextTurn();
  }
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

type Group<Name extends keyof ChangeRow> = Pick<Selectable<ChangeRow>, Name> & { readonly count: number };

/** Counts the changes of a plan, piece by piece, in groups that are equal in these columns. */
export async function countChanges<Name extends keyof ChangeRow>(
  db: Database,
  plan: string,
  columns: readonly Name[],
): Promise<readonly Group<Name>[]> {
  const names: readonly (keyof ChangeRow)[] = columns;
  const sums = new Map<string, Group<Name>>();
  for await (const piece of piecesOf(db, plan)) {
    const groups = await db
      .selectFrom('changes')
      .select(names)
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where(inPiece(piece))
      .groupBy(names)
      .execute();
    for (const group of groups as unknown as readonly Group<Name>[]) {
      const key = JSON.stringify(columns.map((name) => group[name]));
      sums.set(key, { ...group, count: (sums.get(key)?.count ?? 0) + group.count });
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
    .selectFrom('changes')
    .select('changes.hash')
    .where('changes.plan', '=', plan)
    .whereRef('changes.identification', '=', 'decisions.identification')
    .whereRef('changes.rule', '=', 'decisions.rule');
}
