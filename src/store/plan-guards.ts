import type { ExpressionBuilder } from 'kysely';
import type { Plans } from '../ports/store.ts';
import { changedPattern, classMask, countClasses } from './change-rows.ts';
import type { Database, OpenTransaction } from './database.ts';
import { decisionsOf, lockName } from './differences.ts';
import { inPlan } from './plan-access.ts';
import type { Schema } from './schema.ts';

/** What guards and approvals do to a plan's changes. Each is one transaction. */
export function createPlanGuards(db: Database): Pick<Plans, 'hold' | 'holdFields' | 'applyApprovals' | 'appliedSince'> {
  return {
    hold(owned, planId, classes, reason) {
      return inPlan(db, owned, planId, async (transaction) => {
        const { numUpdatedRows } = await transaction
          .updateTable('changes')
          .set({ state: 'held', state_reason: reason })
          .where('plan', '=', planId)
          .where('state', '=', 'planned')
          .where('is_approved', '=', 0)
          .where((eb) => eb(eb('classes', '&', classMask(classes)), '!=', 0))
          .executeTakeFirst();
        return Number(numUpdatedRows);
      });
    },

    async holdFields(owned, planId, fields, reason) {
      if (fields.length === 0) return 0;
      return inPlan(db, owned, planId, async (transaction) => {
        const { numUpdatedRows } = await transaction
          .updateTable('changes')
          .set({ state: 'held', state_reason: reason })
          .where('plan', '=', planId)
          .where('state', '=', 'planned')
          .where('is_approved', '=', 0)
          .where('kind', '=', 'update')
          .where((eb) => eb.or(fields.map((field) => eb('changed', 'like', changedPattern(field)))))
          .executeTakeFirst();
        return Number(numUpdatedRows);
      });
    },

    applyApprovals(owned, planId, sync, now) {
      return inPlan(db, owned, planId, async (transaction) => {
        await lockName(transaction, decisionsOf(sync));
        const decisions = await transaction
          .selectFrom('approvals')
          .select(['decision', 'by_whom'])
          .distinct()
          .where('sync', '=', sync)
          .where('expires_at', '>', now)
          .execute();
        const count = { approved: 0, rejected: 0 };
        for (const { decision, by_whom } of decisions) {
          const outcome =
            decision === 'approved'
              ? ({ is_approved: 1, state: 'planned', state_reason: null } as const)
              : ({ is_approved: 0, state: 'dropped', state_reason: `rejected by ${by_whom}` } as const);
          const { numUpdatedRows } = await transaction
            .updateTable('changes')
            .set(outcome)
            .where('plan', '=', planId)
            .where('state', 'in', ['planned', 'held'])
            .where('hash', 'in', (eb) =>
              standing(eb, { sync, now, run: owned?.run.id })
                .select('approvals.hash')
                .where('approvals.decision', '=', decision)
                .where('approvals.by_whom', '=', by_whom),
            )
            .executeTakeFirst();
          count[decision] += Number(numUpdatedRows);
        }
        if (owned !== undefined) await useUp(transaction, planId, sync, owned.run.id);
        return count;
      });
    },

    async appliedSince(sync, since) {
      const applied = await db
        .selectFrom('changes')
        .innerJoin('plans', 'plans.id', 'changes.plan')
        .select('changes.classes')
        .select((eb) => eb.fn.countAll().as('count'))
        .where('plans.sync', '=', sync)
        .where('changes.applied_at', '>=', since)
        .where('changes.is_approved', '=', 0)
        .groupBy('changes.classes')
        .execute();
      const perhaps = await db
        .selectFrom('batches')
        .innerJoin('changes', 'changes.batch', 'batches.id')
        .select('changes.classes')
        .select((eb) => eb.fn.countAll().as('count'))
        .where('batches.sync', '=', sync)
        .where('batches.sent_at', '>=', since)
        .where('changes.state', 'in', ['sent', 'unresolved'])
        .where('changes.applied_at', 'is', null)
        .where('changes.is_approved', '=', 0)
        .groupBy('changes.classes')
        .execute();
      return countClasses([...applied, ...perhaps]);
    },
  };
}

/** What people decided and what still stands: an approval only until a run has used it up, for that run then. */
function standing(
  eb: ExpressionBuilder<Schema, 'changes'>,
  { sync, now, run }: { readonly sync: string; readonly now: number; readonly run: string | undefined },
) {
  return eb
    .selectFrom('approvals')
    .where('approvals.sync', '=', sync)
    .where('approvals.expires_at', '>', now)
    .where((on) => on.or([on('approvals.run', 'is', null), on('approvals.run', '=', run ?? null)]));
}

/** Gives the run the approvals of changes in its plan: it may plan anew after a crash, but no other run has them. */
async function useUp(db: OpenTransaction, planId: string, sync: string, run: string): Promise<void> {
  await db
    .updateTable('approvals')
    .set({ run })
    .where('sync', '=', sync)
    .where('decision', '=', 'approved')
    .where('run', 'is', null)
    .where('hash', 'in', (eb) =>
      eb.selectFrom('changes').select('changes.hash').where('changes.plan', '=', planId).where('is_approved', '=', 1),
    )
    .execute();
}
