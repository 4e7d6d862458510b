import type { z } from 'zod';
import type { JobContext } from '../src/engine/job-context.ts';
import type { Job, JobOutcome } from '../src/ports/job.ts';

/** Makes a job whose payload is checked before it runs: a queue may hold jobs of another version. */
export function defineJob<Payload>(job: {
  readonly name: string;
  readonly payload: z.ZodType<Payload>;
  readonly run: (payload: Payload, context: JobContext) => Promise<JobOutcome>;
}): Job<JobContext> {
  return { name: job.name, run: async (payload, context) => job.run(job.payload.parse(payload), context) };
}
