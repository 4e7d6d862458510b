import type { OwnedRun } from '../ports/store.ts';
import type { Database, OpenTransaction } from './database.ts';
import { decisionsOf, lockName } from './differences.ts';
import { inPlan } from './plan-access.ts';
import { aboutPiece, inPiece, type PlanPiece, piecesOf } from './plan-pieces.ts';

interface Times {
  readonly now: number;
  readonly expiresAt: number;
}

/** `Decisions.record`, piece by piece: a hold may be as large as the plan. */
export async function recordPlan(db: Database, owned: OwnedRun, planId: string, times: Times): Promise<void> {
  const { sync } = owned.run;
  for await (const piece of piecesOf(db, planId)) {
    await inPlan(db, owned, planId, async (transaction) => {
      await lockName(transaction, decisionsOf(sync));
      await openHeld(transaction, sync, piece, times);
      await withdrawOthers(transaction, sync, piece, times.now);
    });
  }
}

/** Opens the decision of each held change. One that was approved for a run, or too long ago, is open again. */
async function openHeld(db: OpenTransaction, sync: string, piece: PlanPiece, { now, expiresAt }: Times): Promise<void> {
  await db
    .insertInto('decisions')
    .columns(['sync', 'hash', 'identification', 'rule', 'episode', 'state', 'at', 'expires_at'])
    .expression((eb) =>
      eb
        .selectFrom('changes')
        .select((row) => [
          row.val(sync).as('sync'),
          'hash',
          'identification',
          'rule',
          'episode',
          row.val('open').as('state'),
          row.cast<number>(row.val(now), 'bigint').as('at'),
          row.cast<number>(row.val(expiresAt), 'bigint').as('expires_at'),
        ])
        .where(inPiece(piece))
        .where('state', '=', 'held'),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['sync', 'identification', 'hash'])
        .doUpdateSet((eb) => ({
          state: 'open',
          // A person who left it out of a decision still wants to decide it.
          by_whom: eb.case().when('decisions.state', '=', 'open').then(eb.ref('decisions.by_whom')).else(null).end(),
          why: null,
          run: null,
          expires_at: eb.ref('excluded.expires_at'),
        }))
        .where('decisions.ended_at', 'is', null)
        .where((eb) =>
          eb.or([
            eb('decisions.state', '=', 'open'),
            eb.and([
              eb('decisions.state', '=', 'approved'),
              eb.or([eb('decisions.run', 'is not', null), eb('decisions.expires_at', '<=', now)]),
            ]),
          ]),
        ),
    )
    .execute();
}

/** A change that the plan delivers, or has with other values, waits for no approval. */
async function withdrawOthers(db: OpenTransaction, sync: string, piece: PlanPiece, now: number): Promise<void> {
  await db
    .updateTable('decisions')
    .set({ expires_at: now })
    .where('sync', '=', sync)
    .where('state', '=', 'open')
    .where('ended_at', 'is', null)
    .where('expires_at', '>', now)
    .where(aboutPiece(piece))
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('changes')
          .select('changes.hash')
          .where('changes.plan', '=', piece.plan)
          .whereRef('changes.identification', '=', 'decisions.identification')
          .whereRef('changes.rule', '=', 'decisions.rule')
          .where((eb) =>
            eb.or([eb('changes.state', '!=', 'held'), eb('changes.hash', '!=', eb.ref('decisions.hash'))]),
          ),
      ),
    )
    .execute();
}
