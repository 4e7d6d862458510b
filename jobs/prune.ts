import { z } from 'zod';
import { pruneOld } from '../src/engine/prune-old.ts';
import { defineJob } from './define-job.ts';

/** Drops the details of old runs, and old plans that were only shown. */
export const prune = defineJob({
  name: 'prune',
  payload: z.strictObject({}),
  async run(_payload, { engine }) {
    await pruneOld(engine);
    return { kind: 'done' };
  },
});
