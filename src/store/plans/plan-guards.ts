import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import type { ChangeClass } from '../../core/plan/change.ts';
import type { OwnedRun, Plans } from '../../ports/store.ts';
import type { Database, OpenTransaction } from '../db/database.ts';
import { decisionsOf, lockName } from '../db/differences.ts';
import type { KeyRing } from '../db/key-ring.ts';
import { inLists } from '../db/row-writer.ts';
import type { Schema } from '../db/schema.ts';
import { countAppliedSince, disablesSince } from './applied-since.ts';
import { changedPattern, classMask, toPlannedChange } from './changes.ts';
import { aboutPiece, decisionAbout, inPiece, inPieces, inPlan, piecesOf, proposalsAbout } from './plan-access.ts';

/** What guards and approvals do to the changes of a plan, piece by piece. */
export function createPlanGuards(
  db: Database,
  keys: KeyRing,
): Pick<Plans, 'hold' | 'holdSome' | 'holdFields' | 'setAside' | 'applyApprovals' | 'appliedSince' | 'disabledSince'> {
  async function holdWhere(
    owned: OwnedRun | undefined,
    planId: string,
    reason: string,
    isMeant: (eb: ExpressionBuilder<Schema, 'changes'>) => Expression<SqlBool>,
  ): Promise<number> {
    let held = 0;
    const counts = inPieces(db, owned, planId, async (transaction, piece) => {
      const { numUpdatedRows } = await transaction
        .updateTable('changes')
        .set({ state: 'held', state_reason: reason })
        .where(inPiece(piece))
        .where('state', '=', 'planned')
        .where('is_approved', '=', 0)
        .where(isMeant)
        .executeTakeFirst();
      return Number(numUpdatedRows);
    });
    for await (const count of counts) held += count;
    return held;
  }

  const isIn = (eb: ExpressionBuilder<Schema, 'changes'>, classes: readonly ChangeClass[]) =>
    eb(eb('classes', '&', classMask(classes)), '!=', 0);

  return {
    hold: (owned, planId, classes, reason) => holdWhere(owned, planId, reason, (eb) => isIn(eb, classes)),

    async holdSome(owned, planId, { names, class: held }, reason) {
      let count = 0;
      for (const some of inLists(names)) {
        count += await holdWhere(owned, planId, reason, (eb) =>
          eb.and([isIn(eb, [held]), eb('identification', 'in', some)]),
        );
      }
      return count;
    },

    setAside(owned, planId, names, { part = 'account', state, reason }) {
      return inPlan(db, owned, planId, async (transaction) => {
        for (const some of inLists(names)) {
          await transaction
            .updateTable('changes')
            .set({ state, state_reason: reason })
            .where('plan', '=', planId)
            .where('identification', 'in', some)
            .where('part', '=', part)
            .where('state', 'in', ['planned', 'held'])
            .execute();
        }
      });
    },

    async holdFields(owned, planId, fields, reason) {
      if (fields.length === 0) return 0;
      return holdWhere(owned, planId, reason, (eb) =>
        eb.and([eb('kind', '=', 'update'), eb.or(fields.map((field) => eb('changed', 'like', changedPattern(field))))]),
      );
    },

    applyApprovals(owned, planId, sync, now) {
      return inPlan(db, owned, planId, async (transaction) => {
        await lockName(transaction, decisionsOf(sync));
        const valid = inForce({ sync, now, run: owned?.run.id });
        const any = await transaction.selectFrom('decisions').select('hash').where(valid).limit(1).executeTakeFirst();
        if (any === undefined) return 0;
        let approved = 0;
        for await (const piece of piecesOf(transaction, planId)) {
          const { numUpdatedRows } = await transaction
            .updateTable('changes')
            .set({ is_approved: 1, state: 'planned', state_reason: null })
            .where(inPiece(piece))
            .where('state', 'in', ['planned', 'held'])
            .where((eb) => eb.exists(decisionAbout(eb, sync).where(valid)))
            .executeTakeFirst();
          approved += Number(numUpdatedRows);
        }
        if (owned !== undefined && approved > 0) await consumeApprovals(transaction, planId, sync, owned.run.id);
        return approved;
      });
    },

    appliedSince: (who, since) => countAppliedSince(db, who, since),

    async disabledSince(who, since) {
      return (await disablesSince(db, who, since)).map((row) => toPlannedChange(row, keys));
    },
  };
}

/** Selects approvals that still apply: until a run has used them, and after that only to that run. */
function inForce({
  sync,
  now,
  run,
}: {
  readonly sync: string;
  readonly now: number;
  readonly run: string | undefined;
}) {
  return (on: ExpressionBuilder<Schema, 'decisions'>) =>
    on.and([
      on('decisions.sync', '=', sync),
      on('decisions.state', '=', 'approved'),
      on('decisions.ended_at', 'is', null),
      on('decisions.expires_at', '>', now),
      on.or([on('decisions.run', 'is', null), on('decisions.run', '=', run ?? null)]),
    ]);
}

/** Assigns the approvals of changes in the plan to its run. The run may plan again after a crash; no other run may. */
async function consumeApprovals(db: OpenTransaction, planId: string, sync: string, run: string): Promise<void> {
  for await (const piece of piecesOf(db, planId)) {
    await db
      .updateTable('decisions')
      .set({ run })
      .where('sync', '=', sync)
      .where('state', '=', 'approved')
      .where('run', 'is', null)
      .where(aboutPiece(piece))
      .where((eb) =>
        eb.exists(
          proposalsAbout(eb, planId)
            .whereRef('changes.hash', '=', 'decisions.hash')
            .where('changes.is_approved', '=', 1),
        ),
      )
      .execute();
  }
}
