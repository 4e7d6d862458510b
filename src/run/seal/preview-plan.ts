import type { EngineIo } from '../engine-io.ts';
import type { Plan, PlanJob } from '../plan-job.ts';
import { budgetsOf, countedPlan } from './request-budgets.ts';
import { previewBatches } from './write-batches.ts';

/** Makes a plan that is only shown. Its facts have the budgets of a run. */
export async function previewPlan(job: PlanJob, io: EngineIo): Promise<Plan> {
  const { plan, planning } = await countedPlan(job, io);
  if (plan.failure !== undefined) return plan;
  const { planId, sync } = job;
  const loads = await previewBatches({ planId, states: ['planned'], sync }, io);
  return { ...plan, facts: { ...plan.facts, ...(await budgetsOf({ plan, planning, sync, loads }, io)) } };
}
