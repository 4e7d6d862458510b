import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ExpressionBuilder } from 'kysely';
import type { Database, OpenTransaction } from './database.ts';
import type { Schema } from './schema.ts';

/** So many changes are looked at or written by one statement: it keeps everything else of this process waiting. */
const pieceRows = 2500;

/** A part of a plan's changes: those that come behind `after` up to and with `upTo`, or to the end. */
export interface PlanPiece {
  readonly plan: string;
  readonly after: string;
  readonly upTo: string | undefined;
}

/** Cuts a plan into pieces that together are the whole of it, or what comes behind `first`, in order of identification. */
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
    // A statement that only counts costs much more than its few rows tell the connection.
    await nextTurn();
  }
}

/** A condition on `changes`: in this piece of the plan. */
export function inPiece({ plan, after, upTo }: PlanPiece) {
  return (eb: ExpressionBuilder<Schema, 'changes'>) =>
    eb.and([
      eb('changes.plan', '=', plan),
      eb('changes.identification', '>', after),
      ...(upTo === undefined ? [] : [eb('changes.identification', '<=', upTo)]),
    ]);
}

/** A plan and its changes, piece by piece: they would all go by the one statement that takes the plan. */
export async function dropPlan(db: OpenTransaction, plan: string): Promise<void> {
  for await (const piece of piecesOf(db, plan)) await db.deleteFrom('changes').where(inPiece(piece)).execute();
  await db.deleteFrom('plans').where('id', '=', plan).execute();
}
