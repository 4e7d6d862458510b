import { z } from 'zod';
import { advanceRun as takeStep } from '../src/run/advance-run.ts';
import type { JobContext, JobOutcome, Work } from '../src/run/work.ts';

/**
 * Advances one run by one step, under the run's lease.
 *
 * Payload: the run's id. When: a run was opened, or the step before it ended; again after a wait that the step asked for.
 * Effect: one step of `src/run/advance-run.ts`, where the story of a run is drawn: read and plan, send one batch, poll a
 * file, or read a wave back. The store says which step is next, so that the job may be lost, repeated or taken by another
 * worker.
 */
export const advanceRun: Work<Pick<JobContext, 'withRun' | 'engine'>, { run: string }, JobOutcome> = {
  name: 'advance-run',
  payload: z.object({ run: z.string() }),
  async run({ withRun, engine }, { run }) {
    return (await withRun(run, (context) => takeStep(context, engine))) ?? { kind: 'done' };
  },
};
