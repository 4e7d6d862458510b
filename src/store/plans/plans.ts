import { setImmediate as nextTurn } from 'node:timers/promises';
import { RollcallError } from '../../core/run/errors.ts';
import { noKinds, noStates } from '../../core/run/report.ts';
import type { PlanHeader, Plans } from '../../ports/store.ts';
import { asOwner, type Database, type OpenTransaction } from '../db/database.ts';
import type { KeyRing } from '../db/key-ring.ts';
import { RowWriter } from '../db/row-writer.ts';
import { countClasses, markChanges, type NewChangeRow, toNewChangeRow } from './changes.ts';
import { asPlanner, countChanges, dropPlan, inPlan } from './plan-access.ts';
import { createPlanGuards } from './plan-guards.ts';
import { createPlanQueries } from './plan-queries.ts';

/** Changes per transaction while a plan is written. Other processes wait for at most this many. */
const pieceRows = 4096;

export function createPlans(db: Database, keys: KeyRing): Plans {
  const writer = new RowWriter<'changes', NewChangeRow>('changes');

  return {
    ...createPlanGuards(db),
    ...createPlanQueries(db, keys),

    begin: (owned, header) => asPlanner(db, owned, header, (transaction) => beginPlan(transaction, header)),

    async add(owned, planId, changes) {
      for (let from = 0; from < changes.length; from += pieceRows) {
        const rows = changes.slice(from, from + pieceRows).map((change) => toNewChangeRow(planId, change, keys));
        await inPlan(db, owned, planId, async (transaction, { digest }) => {
          if (digest !== null) throw sealed(planId);
          await writer.write(transaction, rows);
        });
        await nextTurn();
      }
    },

    async count(planId) {
      const groups = await countChanges(db, planId, ['kind', 'classes', 'state', 'is_approved', 'is_rejected']);
      const [kinds, states] = [{ ...noKinds }, { ...noStates }];
      const wanted = groups.filter((group) => group.is_rejected === 0);
      for (const { state, count } of groups) states[state] += count;
      for (const { kind, count } of wanted) kinds[kind] += count;
      const open = wanted.filter((group) => group.state === 'planned' && group.is_approved === 0);
      return { states, kinds, classes: countClasses(wanted), open: countClasses(open) };
    },

    seal(owned, planId, digest) {
      return inPlan(db, owned, planId, async (transaction, plan) => {
        if (plan.digest === digest) return;
        if (plan.digest !== null) throw sealed(planId);
        await transaction.updateTable('plans').set({ digest }).where('id', '=', planId).execute();
      });
    },

    setStates: (owned, marks) => asOwner(db, owned, (transaction) => markChanges(transaction, owned.run.id, marks)),

    async countStates(planId) {
      const counts = { ...noStates };
      for (const { state, count } of await countChanges(db, planId, ['state'])) counts[state] += count;
      return counts;
    },
  };
}

/**
 * Drops what an earlier attempt wrote, including the batches of its run: a run has one plan. Throws `CONFLICT` once a
 * batch was sent: from then on the plan records what was sent, and the caller missed that another worker continued.
 */
async function beginPlan(db: OpenTransaction, header: PlanHeader): Promise<void> {
  const { id, sync, run, madeAt } = header;
  if (run !== undefined) {
    const sent = await db
      .selectFrom('batches')
      .select('id')
      .where('run', '=', run)
      .where('state', '!=', 'planned')
      .limit(1)
      .executeTakeFirst();
    if (sent !== undefined) {
      const message = `the plan of run ${run} cannot be made again, because its batch ${sent.id} was sent. Continue its delivery.`;
      throw new RollcallError(message, { code: 'CONFLICT' });
    }
    await db.deleteFrom('batches').where('run', '=', run).execute();
    const earlier = await db.selectFrom('plans').select('id').where('run', '=', run).execute();
    for (const plan of earlier) await dropPlan(db, plan.id);
  }
  await dropPlan(db, id);
  await db
    .insertInto('plans')
    .values({ id, sync, run: run ?? null, made_at: madeAt, digest: null })
    .execute();
}

function sealed(planId: string): RollcallError {
  return new RollcallError(`plan ${planId} is sealed: nothing can be added to it, and its digest is final.`, {
    code: 'CONFLICT',
  });
}
