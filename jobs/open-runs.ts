import type { Run } from '../src/ports/store.ts';
import type { EngineIo } from '../src/run/engine-io.ts';
import { openRun } from '../src/run/request-run.ts';
import { defineTask } from './define-task.ts';

export interface OpenRunsContext {
  readonly engine: EngineIo;
  /** Hands a new run to a worker. */
  start(run: Run): Promise<void>;
}

/**
 * Opens the runs that waiting triggers ask for: cron slots, resyncs, approvals, webhooks.
 *
 * When: every second, in the scheduler itself. Effect: a row in the store for each run, which decides that
 * exactly one run starts; nothing while the sync is paused or has an open run. Idle syncs cost one query together.
 */
export const openRuns = defineTask({
  name: 'open-runs',
  everyMs: 1000,
  async run({ engine, start }: OpenRunsContext) {
    for (const sync of await engine.store.triggers.waitingSyncs()) {
      const opened = await openRun(sync, engine);
      if (opened?.isNew === true) await start(opened.run);
    }
  },
});
