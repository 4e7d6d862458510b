import { z } from 'zod';
import { defineJob } from './define-job.ts';

/**
 * Finds runs that have not ended and that nobody drives, after a crash or a lost queue, and has them go on; what becomes
 * of a run whose sync is configured no more, the runtime decides.
 */
export const recover = defineJob({
  name: 'recover',
  payload: z.strictObject({}),
  async run(_payload, { engine, adopt, orphaned }) {
    for (const run of await engine.store.runs.unfinished()) {
      const holder = await engine.store.leases.holder(`run:${run.id}`, engine.clock.now());
      if (holder !== undefined) continue;
      if (engine.syncs.has(run.sync)) adopt(run.id);
      else await orphaned(run);
    }
    return { kind: 'done' };
  },
});
