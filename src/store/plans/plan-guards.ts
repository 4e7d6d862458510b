import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { leftOutReason } from '../../core/guard/guard.ts';
import type { OwnedRun, Plans } from '../../ports/store.ts';
import type { Database, OpenTransaction } from '../db/database.ts';
import { decisionsOf, lockName } from '../db/differences.ts';
import { inLists } from '../db/row-writer.ts';
import type { Schema } from '../db/schema.ts';
import { countAppliedSince } from './applied-since.ts';
import { changedPattern, classMask } from './changes.ts';
import { aboutPiece, decisionAbout, inPiece, inPlan, piecesOf, proposalsAbout } from './plan-access.ts';

/** What guards and approvals do to the changes of a plan, piece by piece. */
export function createPlanGuards(
  db: Database,
): Pick<Plans, 'hold' | 'holdLeftOut' | 'holdFields' | 'setAside' | 'applyApprovals' | 'appliedSince'> {
  /** One transaction per piece: an unsealed plan is not used by anyone, and 100,000 rows would be one long commit. */
  async function holdWhere(
    owned: OwnedRun | undefined,
    planId: string,
    reason: string,
    isMeant: (eb: ExpressionBuilder<Schema, 'changes'>) => Expression<SqlBool>,
  ): Promise<number> {
    let held = 0;
    for await (const piece of piecesOf(db, planId)) {
      held += await inPlan(db, owned, planId, async (transaction) => {
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
    }
    return held;
  }

  return {
    hold: (owned, planId, classes, reason) =>
      holdWhere(owned, planId, reason, (eb) => eb(eb('classes', '&', classMask(classes)), '!=', 0)),

    holdLeftOut: (owned, planId, sync) =>
      holdWhere(owned, planId, leftOutReason, (eb) =>
        eb.exists(
          decisionAbout(eb, sync)
            .where('decisions.state', '=', 'open')
            .where('decisions.ended_at', 'is', null)
            .where('decisions.by_whom', 'is not', null),
        ),
      ),

    setAside(owned, planId, names, { state, reason }) {
      return inPlan(db, owned, planId, async (transaction) => {
        for (const some of inLists(names)) {
          await transaction
            .updateTable('changes')
            .set({ state, state_reason: reason })
            .where('plan', '=', planId)
            .where('identification', 'in', some)
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
        const verdicts = await transaction
          .selectFrom('decisions')
          .select(['state', 'by_whom', 'why'])
          .distinct()
          .where('sync', '=', sync)
          .where('state', '!=', 'open')
          .where('ended_at', 'is', null)
          .execute();
        const count = { approved: 0, rejected: 0 };
        for (const { state, by_whom: by, why } of verdicts) {
          if (state === 'open') continue;
          const outcome =
            state === 'approved'
              ? ({ is_approved: 1, state: 'planned', state_reason: null } as const)
              : ({ is_rejected: 1, state: 'dropped', state_reason: rejectedBy(by, why) } as const);
          for await (const piece of piecesOf(transaction, planId)) {
            const { numUpdatedRows } = await transaction
              .updateTable('changes')
              .set(outcome)
              .where(inPiece(piece))
              .where('state', 'in', ['planned', 'held'])
              .where((eb) =>
                eb.exists(
                  inForce(eb, { sync, now, run: owned?.run.id })
                    .where('decisions.state', '=', state)
                    .where('decisions.by_whom', '=', by)
                    .where((on) => (why === null ? on('decisions.why', 'is', null) : on('decisions.why', '=', why))),
                ),
              )
              .executeTakeFirst();
            count[state] += Number(numUpdatedRows);
          }
        }
        if (owned !== undefined && count.approved > 0) await consumeApprovals(transaction, planId, sync, owned.run.id);
        return count;
      });
    },

    appliedSince: (who, since) => countAppliedSince(db, who, since),
  };
}

/** Why a rejected change is dropped. */
function rejectedBy(by: string | null, why: string | null): string {
  return `rejected by ${by ?? 'unknown'}${why === null ? '' : `: ${why}`}`;
}

/** Decisions that still apply. An approval applies until a run has used it, and after that only to that run. */
function inForce(
  eb: ExpressionBuilder<Schema, 'changes'>,
  { sync, now, run }: { readonly sync: string; readonly now: number; readonly run: string | undefined },
) {
  return decisionAbout(eb, sync)
    .where('decisions.ended_at', 'is', null)
    .where((on) => on.or([on('decisions.expires_at', 'is', null), on('decisions.expires_at', '>', now)]))
    .where((on) => on.or([on('decisions.run', 'is', null), on('decisions.run', '=', run ?? null)]));
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
