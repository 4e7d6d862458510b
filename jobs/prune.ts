import { z } from 'zod';
import { defineJob } from './define-job.ts';

const keptForMs = 90 * 86_400_000;
const keptRuns = 50;

/** Drops the details of old runs; the ledger stays whole. */
export const prune = defineJob({
  name: 'prune',
  payload: z.strictObject({}),
  async run(_payload, { engine }) {
    const dropped = await engine.store.runs.prune(engine.clock.now() - keptForMs, keptRuns);
    if (dropped > 0) engine.logger.info({ dropped }, 'old runs pruned');
    return { kind: 'done' };
  },
});
