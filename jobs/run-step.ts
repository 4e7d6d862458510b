import { z } from 'zod';
import type { JobContext } from '../src/engine/job-context.ts';
import { continueWith, jobOfVerb } from '../src/engine/run-jobs.ts';
import { takeStep } from '../src/engine/run-sync.ts';
import type { Verb } from '../src/engine/step.ts';
import type { Job } from '../src/ports/job.ts';
import { defineJob } from './define-job.ts';

const runPayload = z.object({ run: z.string(), batch: z.string().optional() });

/** A job that takes one step of a run under its lease, and continues with the next. */
export function runStepJob(verb: Verb): Job<JobContext> {
  return defineJob({
    name: jobOfVerb[verb],
    payload: runPayload,
    async run({ run, batch }, context) {
      const step = { kind: 'next', verb, afterMs: 0, ...(batch === undefined ? {} : { batch }) } as const;
      const after = await context.withRun(run, (owned) => takeStep(step, owned, context.engine));
      return after === undefined ? { kind: 'done' } : continueWith(run, after);
    },
  });
}
