import { runLease } from '../src/ports/leases.ts';
import { isKnownPhase } from '../src/ports/runs.ts';
import type { Run } from '../src/ports/store.ts';
import type { SchedulerContext, Work } from '../src/run/work.ts';

/**
 * Finds runs that have not ended and that no process drives, after a crash or a lost queue, and continues them.
 *
 * When: every two seconds, in the scheduler itself. Effect: none of its own; the run continues from the
 * phase in the store. A run in a phase that this version does not know is left to the newer version that stored it.
 */
export const recover: Work<Pick<SchedulerContext, 'engine' | 'resume' | 'closeOrphan'>> = {
  name: 'recover',
  everyMs: 2000,
  async run({ engine, resume, closeOrphan }) {
    const idle: Run[] = [];
    for (const run of await engine.store.runs.unfinished()) {
      if (!isKnownPhase(run.phase)) continue;
      const holder = await engine.store.leases.holder(runLease(run.id), engine.clock.now());
      if (holder !== undefined) continue;
      if (engine.syncs.has(run.sync)) idle.push(run);
      else await closeOrphan(run);
    }
    await resume(idle);
  },
};
