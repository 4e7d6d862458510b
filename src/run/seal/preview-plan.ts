import type { EngineIo } from '../engine-io.ts';
import type { Plan, PlanJob } from '../plan-job.ts';
import { pruneBeside } from '../prune-old.ts';
import { showPlan } from '../recorder.ts';
import { budgetsOf, countedPlan } from './request-budgets.ts';
import { previewBatches } from './write-batches.ts';

export interface PreviewJob extends PlanJob {
  /** Id under which the changes are stored. */
  readonly planId: string;
}

/** Makes a plan that is only shown. Its facts have the budgets of a run. */
export async function previewPlan(job: PreviewJob, io: EngineIo): Promise<Plan> {
  const { planId, sync } = job;
  // Commands that only show plans may be the only ones to use a store.
  await pruneBeside(io);
  const { plan, planning } = await countedPlan(job, showPlan(planId, sync, io), io);
  if (plan.failure !== undefined) return plan;
  const loads = await previewBatches({ planId, states: ['planned'], sync }, io);
  return { ...plan, facts: { ...plan.facts, ...(await budgetsOf({ plan, planning, sync, loads }, io)) } };
}
