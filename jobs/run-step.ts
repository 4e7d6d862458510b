import { z } from 'zod';
import { takeStep } from '../src/engine/run-sync.ts';
import type { Step } from '../src/engine/step.ts';
import type { Job, JobOutcome } from '../src/ports/job.ts';
import { defineJob } from './define-job.ts';
import type { JobContext } from './job-context.ts';

export const runPayload = z.object({ run: z.string(), batch: z.string().optional() });
export type RunPayload = z.infer<typeof runPayload>;

/** Which job does which verb of a run. */
export const jobOfVerb = { plan: 'sync', deliver: 'deliver', settle: 'settle', finish: 'finish' } as const;

/** A job that takes one step of a run under its lease, and continues with the next. */
export function runStepJob(verb: keyof typeof jobOfVerb): Job<JobContext> {
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

/** The job that a step asks for. */
export function continueWith(run: string, step: Step): JobOutcome {
  if (step.kind === 'ended') return { kind: 'done' };
  const { verb, batch, afterMs } = step;
  const payload: RunPayload = batch === undefined ? { run } : { run, batch };
  return { kind: 'continue', job: jobOfVerb[verb], payload, afterMs, key: `${verb}_${batch ?? run}` };
}
