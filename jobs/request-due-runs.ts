import type { EngineIo } from '../src/run/engine-io.ts';
import { requestRun } from '../src/run/request-run.ts';
import { defineTask } from './define-task.ts';

/** The schedule of one sync. Instants are epoch ms. */
export interface Calendar {
  readonly sync: string;
  /** Returns the newest slot up to `now` that was not requested. */
  dueSlot(now: number): Promise<number | undefined>;
  /** Returns whether the schedule waits because the HR system refused the credentials. */
  isWaiting(now: number): Promise<boolean>;
  /** Records that all slots up to `now` were requested. */
  requested(now: number): void;
}

export interface RequestDueRunsContext {
  readonly engine: EngineIo;
  readonly calendars: readonly Calendar[];
}

/**
 * Requests a run of each sync whose cron slot is due.
 *
 * When: every second, in the scheduler itself. Effect: a trigger in the store for the newest due slot of each sync, once
 * across all processes. Missed slots, also those during a pause, become one run. Without a due slot it asks nothing of
 * the store.
 */
export const requestDueRuns = defineTask({
  name: 'request-due-runs',
  everyMs: 1000,
  async run({ engine, calendars }: RequestDueRunsContext) {
    const now = engine.clock.now();
    const due: { readonly calendar: Calendar; readonly slot: number }[] = [];
    for (const calendar of calendars) {
      const slot = await calendar.dueSlot(now);
      if (slot !== undefined) due.push({ calendar, slot });
    }
    if (due.length === 0) return;
    const paused = new Set((await engine.store.pauses.list()).map(({ sync }) => sync));
    for (const { calendar, slot } of due) {
      if (paused.has(calendar.sync) || (await calendar.isWaiting(now))) continue;
      const key = `${calendar.sync}@${new Date(slot).toISOString()}`;
      await requestRun({ sync: calendar.sync, kind: 'schedule', scope: { kind: 'all' }, key }, engine);
      calendar.requested(now);
    }
  },
});
