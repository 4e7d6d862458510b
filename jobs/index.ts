import type { JobContext } from '../src/engine/job-context.ts';
import type { Job, JobOutcome } from '../src/ports/job.ts';
import { deliver } from './deliver.ts';
import { finish } from './finish.ts';
import { keepToken } from './keep-token.ts';
import { prune } from './prune.ts';
import { recover } from './recover.ts';
import { settle } from './settle.ts';
import { sync } from './sync.ts';

/** The job table: everything that runs, by name. */
export const jobs = { sync, deliver, settle, finish, recover, 'keep-token': keepToken, prune } as const;

export type JobName = keyof typeof jobs;

/** Runs a job by name. An unknown name is a job of another version: refused. */
export async function runJob(name: string, payload: unknown, context: JobContext): Promise<JobOutcome> {
  const job: Job<JobContext> | undefined = Object.hasOwn(jobs, name) ? jobs[name as JobName] : undefined;
  if (job === undefined) throw new RangeError(`no job is called ${name}: was it queued by another version?`);
  return job.run(payload, context);
}
