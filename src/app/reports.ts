import { countChanges } from '../core/report.ts';
import type { Sync } from '../engine/engine-io.ts';
import type { Plan } from '../engine/plan-job.ts';
import type { Run, Store } from '../ports/store.ts';
import type { PlanReport, RunReport } from './app.ts';

const shownFindings = 1000;

/** Reports the plan of a dry run. */
export async function planReport(plan: Plan, sync: Sync, store: Store): Promise<PlanReport> {
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

/** Reports everything that the store has about a run. */
export async function runReport(run: Run, store: Store): Promise<RunReport> {
  const [findings, findingsInAll, batches, holds] = await Promise.all([
    store.runs.findings(run.id, shownFindings),
    store.runs.findingsCount(run.id),
    store.batches.ofRun(run.id),
    store.holds.ofRun(run.id),
  ]);
  return { run, findings, findingsInAll, batches, holds, resumed: [] };
}
