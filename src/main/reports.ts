import { RollcallError } from '../core/errors.ts';
import { countChanges } from '../core/report.ts';
import type { Sync } from '../engine/engine-io.ts';
import type { Plan } from '../engine/plan-job.ts';
import type { PlanReport, RunReport } from '../ports/app.ts';
import type { Run, Store } from '../ports/store.ts';

const shownFindings = 1000;
const searchedRuns = 500;

/** What a plan that is only shown came to. */
export async function planReport(plan: Plan, sync: Sync, store: Store): Promise<PlanReport> {
  const states = await store.plans.countStates(plan.id);
  const { kinds, classes } = await store.plans.count(plan.id);
  return {
    id: plan.id,
    sync: sync.settings.name,
    digest: plan.digest,
    counts: countChanges(kinds, classes, states, plan.repeated),
    facts: { ...plan.facts, isReadDoubted: plan.verdict.areMissesHeld || plan.verdict.fields.length > 0 },
    findings: plan.findings.slice(0, shownFindings),
    holds: plan.verdict.holds,
    failure: plan.failure,
  };
}

/** Everything that the store knows of a run. Throws NOT_FOUND. */
export async function runReport(runId: string, store: Store): Promise<RunReport> {
  const run = await findRun(runId, store);
  const [findings, findingsInAll, batches, holds] = await Promise.all([
    store.runs.findings(run.id, shownFindings),
    store.runs.findingsCount(run.id),
    store.batches.ofRun(run.id),
    store.holds.ofRun(run.id),
  ]);
  return { run, findings, findingsInAll, batches, holds, resumed: [] };
}

/** A run by its id, or by the end of its id that only one recent run has. Throws NOT_FOUND, or CONFLICT when several have it. */
export async function findRun(id: string, store: Store): Promise<Run> {
  const exact = await store.runs.get(id);
  if (exact !== undefined) return exact;
  const recent = await store.runs.list({ limit: searchedRuns });
  const found = recent.filter((run) => run.id.endsWith(id) || run.id.startsWith(id) || run.id.startsWith(`run_${id}`));
  const [only, ...others] = found;
  if (only === undefined) throw new RollcallError(`there is no run ${id}: see "rollcall runs"`, { code: 'NOT_FOUND' });
  if (others.length > 0) {
    throw new RollcallError(`${found.length} runs are called ${id}: give more of the id`, { code: 'CONFLICT' });
  }
  return only;
}
