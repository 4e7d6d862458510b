import type { PlanFacts } from '../../core/run/facts.ts';
import { given } from '../../core/run/given.ts';
import { type BatchLoad, requestBudget } from '../../core/run/requests.ts';
import type { EngineIo, Sync } from '../engine-io.ts';
import { makePlan } from '../make-plan.ts';
import type { Plan, PlanJob } from '../plan-job.ts';
import type { Recorder } from '../recorder.ts';
import { previewBatches } from './write-batches.ts';

export interface CountedPlan {
  readonly plan: Plan;
  /** Number of requests that made it. */
  readonly planning: number;
}

/** Makes a plan and counts its requests. */
export async function countedPlan(job: PlanJob, recorder: Recorder, io: EngineIo): Promise<CountedPlan> {
  let planning = 0;
  const plan = await io.countRequests(
    () => {
      planning += 1;
    },
    () => makePlan(job, recorder, io),
  );
  return { plan, planning };
}

export interface BudgetsJob extends CountedPlan {
  readonly sync: Sync;
  /** The batches of the planned changes. */
  readonly loads: readonly BatchLoad[];
}

/** Estimates the requests of a run of this plan, without and with its held changes. */
export async function budgetsOf(
  { plan, planning, sync, loads }: BudgetsJob,
  io: EngineIo,
): Promise<Pick<PlanFacts, 'budget' | 'budgetWithHeld'>> {
  const { platformUsers: users = 0, pageSize } = plan.facts;
  const directory = pageSize === undefined ? undefined : { users, pageSize };
  const { limits, settings } = sync;
  const budget = (batches: readonly BatchLoad[]) =>
    requestBudget({ planning, batches, directory, settle: settings.settle, limits });
  const { holds, fields } = plan.verdict;
  const isHeld = holds.length > 0 || fields.length > 0;
  const held = isHeld
    ? await previewBatches({ planId: plan.id, ...given({ few: plan.few }), states: ['held'], sync }, io)
    : [];
  return { budget: budget(loads), ...(held.length === 0 ? {} : { budgetWithHeld: budget([...loads, ...held]) }) };
}
