import type { Job, JobOutcome } from '../src/ports/job.ts';
import type { JobContext } from '../src/run/job-context.ts';
import { advanceRunJob } from './advance-run.ts';
import { evaluateAlerts } from './evaluate-alerts.ts';
import { keepToken } from './keep-token.ts';
import { makePreviewJob } from './make-preview.ts';
import { openPreviews } from './open-previews.ts';
import { openRuns } from './open-runs.ts';
import { prune } from './prune.ts';
import { recover } from './recover.ts';
import { requestDueRuns } from './request-due-runs.ts';

/** Jobs that may run in any worker, by name: what a queue holds. */
export const workerJobs = {
  'advance-run': advanceRunJob,
  'keep-token': keepToken,
  'make-preview': makePreviewJob,
  prune,
} as const;

/** Tasks that the scheduler runs itself, in the order of a tick. They decide what goes to the workers. */
export const schedulerTasks = { requestDueRuns, openRuns, openPreviews, recover, evaluateAlerts } as const;

export type WorkerJobName = keyof typeof workerJobs;

/** Runs a worker job by name. Throws RangeError for an unknown name, which another version may have queued. */
export async function runJob(name: string, payload: unknown, context: JobContext): Promise<JobOutcome> {
  const job: Job<JobContext> | undefined = Object.hasOwn(workerJobs, name)
    ? workerJobs[name as WorkerJobName]
    : undefined;
  if (job === undefined) throw new RangeError(`unknown job ${name}: another version may have queued it`);
  return job.run(payload, context);
}
