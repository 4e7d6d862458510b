import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ExpressionBuilder } from 'kysely';
import type { Database, OpenTransaction } from './database.ts';
import type { Schema } from './schema.ts';

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
