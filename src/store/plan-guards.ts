import type { Plans } from '../ports/store.ts';
import { changedPattern, classMask, countClasses } from './change-rows.ts';
import { type Database, inTransaction } from './database.ts';

/** What guards and approvals do to a plan's changes. Each is one transaction. */
export function createPlanGuards(db: Database): Pick<Plans, 'hold' | 'holdFields' | 'applyApprovals' | 'appliedSince'> {
  return {
    async hold(planId, classes, reason) {
      const { numUpdatedRows } = await db
        .updateTable('changes')
        .set({ state: 'held', state_reason: reason })
        .where('plan', '=', planId)
        .where('state', '=', 'planned')
        .where('is_approved', '=', 0)
        .where((eb) => eb(eb('classes', '&', classMask(classes)), '!=', 0))
        .executeTakeFirst();
      return Number(numUpdatedRows);
    },

    async holdFields(planId, fields, reason) {
      if (fields.length === 0) return 0;
      const { numUpdatedRows } = await db
        .updateTable('changes')
        .set({ state: 'held', state_reason: reason })
        .where('plan', '=', planId)
        .where('state', '=', 'planned')
        .where('is_approved', '=', 0)
        .where('kind', '=', 'update')
        .where((eb) => eb.or(fields.map((field) => eb('changed', 'like', changedPattern(field)))))
        .executeTakeFirst();
      return Number(numUpdatedRows);
    },

    applyApprovals(planId, sync, now) {
      return inTransaction(db, async (transaction) => {
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
              : ({ is_approved: 0, state: 'held', state_reason: `rejected by ${by_whom}` } as const);
          const { numUpdatedRows } = await transaction
            .updateTable('changes')
            .set(outcome)
            .where('plan', '=', planId)
            .where('state', 'in', ['planned', 'held'])
            .where('hash', 'in', (eb) =>
              eb
                .selectFrom('approvals')
                .select('approvals.hash')
                .where('approvals.sync', '=', sync)
                .where('approvals.decision', '=', decision)
                .where('approvals.by_whom', '=', by_whom)
                .where('approvals.expires_at', '>', now),
            )
            .executeTakeFirst();
          count[decision] += Number(numUpdatedRows);
        }
        return count;
      });
    },

    async appliedSince(sync, since) {
      const groups = await db
        .selectFrom('changes')
        .innerJoin('plans', 'plans.id', 'changes.plan')
        .select('changes.classes')
        .select((eb) => eb.fn.countAll().as('count'))
        .where('plans.sync', '=', sync)
        .where('changes.applied_at', '>=', since)
        .where('changes.state', '=', 'applied')
        .where('changes.is_approved', '=', 0)
        .groupBy('changes.classes')
        .execute();
      return countClasses(groups);
    },
  };
}
