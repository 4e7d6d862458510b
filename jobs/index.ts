import type { JobContext, JobOutcome, RunlessJob, SchedulerContext, Work } from '../src/run/work.ts';
import { advanceRun } from './advance-run.ts';
import { keepToken } from './keep-token.ts';
import { makePreview } from './make-preview.ts';
import { openPreviews } from './open-previews.ts';
import { openReports } from './open-reports.ts';
import { openRuns } from './open-runs.ts';
import { prune } from './prune.ts';
import { recover } from './recover.ts';
import { requestDueRuns } from './request-due-runs.ts';
import { sendReport } from './send-report.ts';

type WorkerWork = Work<JobContext, unknown, JobOutcome>;
/** What any worker may run: what a queue holds. */
const workerWork: readonly WorkerWork[] = [advanceRun, keepToken, makePreview, prune, sendReport];

/** What the scheduler runs itself, in the order of a tick. It decides what goes to the workers. */
export const schedulerWork: readonly Work<SchedulerContext>[] = [
  requestDueRuns,
  openRuns,
  openPreviews,
  openReports,
  recover,
  handingOver('keep-token', keepToken, ({ connections }) => connections.map((connection) => ({ connection }))),
  handingOver('prune', prune, () => [{}]),
];

/** Hands work to the workers as often as it says, once for each payload. */
function handingOver(
  name: RunlessJob,
  { everyMs = 0 }: { readonly everyMs?: number },
  payloads: (context: SchedulerContext) => readonly Readonly<Record<string, string>>[],
): Work<SchedulerContext> {
  return {
    name,
    everyMs,
    run: (context) => Promise.all(payloads(context).map((payload) => context.enqueue(name, payload))),
  };
}

/** Runs work of a worker by name. Throws RangeError for an unknown name, which another version may have queued. */
export async function runJob(name: string, payload: unknown, context: JobContext): Promise<JobOutcome> {
  const work = workerWork.find((one) => one.name === name);
  if (work === undefined) throw new RangeError(`unknown job ${name}: another version may have queued it`);
  return work.run(context, work.payload?.parse(payload));
}
