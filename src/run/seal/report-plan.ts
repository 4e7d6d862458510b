import { countChanges } from '../../core/run/report.ts';
import type { PlanReport } from '../../ports/previews.ts';
import type { Store } from '../../ports/store.ts';
import type { Sync } from '../engine-io.ts';
import type { Plan } from '../plan-job.ts';

const shownFindings = 1000;

/** Reports the plan of a dry run. */
export async function reportPlan(plan: Plan, sync: Sync, store: Store): Promise<PlanReport> {
  const states = await store.plans.countStates(plan.id);
  const { kinds, classes } = await store.plans.count(plan.id);
  return {
    id: plan.id,
    sync: sync.settings.name,
    digest: plan.digest,
    counts: countChanges(kinds, classes, states, plan.repeated),
    facts: plan.facts,
    findings: plan.findings.slice(0, shownFindings),
    holds: plan.verdict.holds,
    failure: plan.failure,
  };
}
