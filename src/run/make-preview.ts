import { describeError } from '../core/run/errors.ts';
import { given } from '../core/run/given.ts';
import { countChanges } from '../core/run/report.ts';
import type { PlanReport, Preview } from '../ports/previews.ts';
import { undoneBy } from '../ports/runs.ts';
import type { Progress } from '../ports/runtime.ts';
import type { Store } from '../ports/store.ts';
import type { EngineIo } from './engine-io.ts';
import type { Plan, PlanJob } from './plan-job.ts';
import { pruneBeside } from './prune-old.ts';
import { showPlan } from './recorder.ts';
import { budgetsOf, countedPlan } from './seal/request-budgets.ts';
import { previewBatches } from './seal/write-batches.ts';

/** Number of attempts at a preview. Its read may be the cause if the process dies each time. */
const mostAttempts = 3;
/** Minimum time between two writes of the progress (ms). */
const noteEveryMs = 1000;

/** Name of the lease under which one process makes the preview. */
export function previewLease(id: string): string {
  return `preview:${id}`;
}

/**
 * Makes the plan of a preview with the steps of a run, and stores it. Nothing else is written: no miss is counted, no
 * user becomes managed, no hold is opened, no episode ends. Does nothing when it has ended. Rejects only when `signal`
 * aborts, or the store fails; then another attempt follows. Call it under `previewLease`.
 */
export async function makePreview(id: string, io: EngineIo, signal: AbortSignal): Promise<void> {
  const { store, clock } = io;
  const preview = await store.previews.begin(id, clock.now());
  if (preview === undefined) return;
  const fail = (reason: string) =>
    store.previews.end(id, preview.attempt, { state: 'failed', at: clock.now(), reason });
  const configured = io.syncs.get(preview.sync);
  if (configured === undefined) {
    await fail(`the sync ${preview.sync} is no longer configured`);
    return;
  }
  if (preview.attempt > mostAttempts) {
    await fail(`the work was interrupted ${mostAttempts} times: read the log of the workers`);
    return;
  }
  // Each attempt has a plan of its own, so that two of them never write into one.
  const notes = noteProgress(preview, io);
  try {
    const { mapping } = preview;
    const sync = mapping === undefined ? configured : await configured.withMapping(mapping);
    const job = { planId: io.newId('plan'), sync, scope: preview.scope, signal };
    const plan = await previewPlan(job, { ...io, progress: notes.progress });
    const report = await reportPlan(plan, job, store);
    await notes.ended();
    await store.previews.end(id, preview.attempt, { state: 'done', at: clock.now(), report });
  } catch (error) {
    signal.throwIfAborted();
    await notes.ended();
    await fail(describeError(error));
  }
}

/** Stores progress beside the work. A note that cannot be stored is left out. */
function noteProgress({ id, attempt }: Preview, { store, clock, progress: tell }: EngineIo) {
  let noted = Number.NEGATIVE_INFINITY;
  let writing: Promise<void> = Promise.resolve();
  const progress: Progress = (event) => {
    tell(event);
    const now = clock.now();
    if (now - noted < noteEveryMs) return;
    noted = now;
    writing = writing.then(() => store.previews.note(id, attempt, event)).catch(() => {});
  };
  return { progress, ended: () => writing };
}

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
  const loads = await previewBatches({ planId, ...given({ few: plan.few }), states: ['planned'], sync }, io);
  return { ...plan, facts: { ...plan.facts, ...(await budgetsOf({ plan, planning, sync, loads }, io)) } };
}

const shownFindings = 1000;

/** Reports the plan of a dry run. */
export async function reportPlan(plan: Plan, { sync, scope }: PlanJob, store: Store): Promise<PlanReport> {
  const { kinds, classes, states } = await store.plans.count(plan.id);
  return {
    id: plan.id,
    sync: sync.settings.name,
    digest: plan.digest,
    counts: countChanges(kinds, classes, states, plan.facts.repeated),
    classes,
    read: plan.read,
    facts: plan.facts,
    findings: plan.findings.slice(0, shownFindings),
    holds: plan.verdict.holds,
    ...given({ undoes: undoneBy(scope)?.run }),
    failure: plan.failure,
  };
}
