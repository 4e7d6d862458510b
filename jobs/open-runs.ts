import { openRun } from '../src/run/request-run.ts';
import type { SchedulerContext, Work } from '../src/run/work.ts';

/**
 * Opens the runs that waiting triggers ask for: cron slots, resyncs, approvals, webhooks.
 *
 * When: every second, in the scheduler itself. Effect: a row in the store for each run, which decides that
 * exactly one run starts; nothing while the sync is paused or has an open run. Idle syncs cost one query together.
 */
export const openRuns: Work<Pick<SchedulerContext, 'engine' | 'start'>> = {
  name: 'open-runs',
  everyMs: 1000,
  async run({ engine, start }) {
    for (const sync of (await engine.store.triggers.waitingSyncs(engine.clock.now())).keys()) {
      const opened = await openRun(sync, engine);
      if (opened?.isNew === true) await start(opened.run);
    }
  },
};
