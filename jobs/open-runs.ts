import { z } from 'zod';
import type { EngineIo } from '../src/engine/engine-io.ts';
import { isPaused, openRun } from '../src/engine/request-run.ts';
import type { Run } from '../src/ports/store.ts';
import { defineJob } from './define-job.ts';

const everyMs = 1000;

export interface OpenRunsContext {
  readonly engine: EngineIo;
  /** Hands a new run to a worker. */
  start(run: Run): Promise<void>;
}

/**
 * Opens the run that waiting triggers of a sync ask for: cron slots, resyncs, approvals, webhooks.
 *
 * Payload: the sync's name. When: every second, in the scheduler itself. Effect: a row in the store, which decides that
 * exactly one run starts; nothing while the sync is paused or has an open run.
 */
export const openRuns = {
  ...defineJob({
    name: 'open-runs',
    payload: z.object({ sync: z.string() }),
    async run({ sync }, { engine, start }: OpenRunsContext) {
      if (await isPaused(sync, engine)) return { kind: 'done' };
      const opened = await openRun(sync, engine);
      if (opened?.isNew === true) await start(opened.run);
      return { kind: 'done' };
    },
  }),
  everyMs,
};
