import { requestRun } from '../src/run/request-run.ts';
import type { Calendar, SchedulerContext, Work } from '../src/run/work.ts';

/**
 * Requests a run of each sync whose cron slot is due.
 *
 * When: every second, in the scheduler itself. Effect: a trigger in the store for the newest due slot of each sync, once
 * across all processes. Missed slots, also those during a pause, become one run. Without a due slot it asks nothing of
 * the store.
 */
export const requestDueRuns: Work<Pick<SchedulerContext, 'engine' | 'calendars'>> = {
  name: 'request-due-runs',
  everyMs: 1000,
  async run({ engine, calendars }) {
    const now = engine.clock.now();
    const due: { readonly calendar: Calendar; readonly slot: number }[] = [];
    for (const calendar of calendars) {
      const slot = await calendar.dueSlot(now);
      if (slot !== undefined) due.push({ calendar, slot });
    }
    if (due.length === 0) return;
    const paused = new Set((await engine.store.pauses.list(now)).map(({ sync }) => sync));
    for (const { calendar, slot } of due) {
      if (paused.has(calendar.sync) || (await calendar.isWaiting(now))) continue;
      const key = `${calendar.sync}@${new Date(slot).toISOString()}`;
      await requestRun({ sync: calendar.sync, kind: 'schedule', scope: { kind: 'all' }, key }, engine);
      calendar.requested(now);
    }
  },
};
