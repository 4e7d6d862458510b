import { z } from 'zod';
import type { JobContext } from '../src/run/job-context.ts';
import { pruneOld } from '../src/run/prune-old.ts';
import { defineJob } from './define-job.ts';

const everyMs = 86_400_000;

/**
 * Deletes the details of old runs, and old plans that were only shown.
 *
 * Payload: none. When: at the start of a scheduler and once a day. Effect: in the store only.
 */
export const prune = {
  ...defineJob({
    name: 'prune',
    payload: z.strictObject({}),
    async run(_payload, { engine }: Pick<JobContext, 'engine'>) {
      await pruneOld(engine);
      return { kind: 'done' };
    },
  }),
  everyMs,
};
