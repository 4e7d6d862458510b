import { z } from 'zod';
import { pruneOld } from '../src/run/prune-old.ts';
import type { JobContext, JobOutcome, Work } from '../src/run/work.ts';

/**
 * Deletes the details of old runs, and old plans that were only shown.
 *
 * Payload: none. When: at the start of a scheduler and once a day. Effect: in the store only.
 */
export const prune: Work<Pick<JobContext, 'engine'>, Record<string, never>, JobOutcome> = {
  name: 'prune',
  everyMs: 86_400_000,
  payload: z.strictObject({}),
  async run({ engine }) {
    await pruneOld(engine);
    return { kind: 'done' };
  },
};
