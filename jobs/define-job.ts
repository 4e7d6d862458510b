import type { z } from 'zod';
import type { Job, JobOutcome } from '../src/ports/job.ts';

/** Makes a job that checks its payload before it runs: a queue may hold jobs of another version. */
export function defineJob<Payload, Context>(job: {
  readonly name: string;
  readonly payload: z.ZodType<Payload>;
  readonly run: (payload: Payload, context: Context) => Promise<JobOutcome>;
}): Job<Context> {
  return { name: job.name, run: async (payload, context) => job.run(job.payload.parse(payload), context) };
}
