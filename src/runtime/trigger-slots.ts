import { backoffUntil } from '../engine/backoff-until.ts';
import type { EngineIo } from '../engine/engine-io.ts';
import { isPaused, requestRun } from '../engine/request-run.ts';
import { openSchedule } from './schedule.ts';
import type { Task } from './scheduler.ts';

export interface ScheduledSync {
  readonly name: string;
  readonly schedule: { readonly cron: string; readonly timezone: string };
}

/**
 * Stores the trigger of the newest due cron slot, once across all processes. Missed slots, also those during a pause,
 * become one run. At the first start of a store, no slot counts as missed.
 */
export function triggerSlots({ name, schedule }: ScheduledSync, io: EngineIo): Task {
  const slots = openSchedule(schedule.cron, schedule.timezone);
  const openedAt = io.clock.now();
  let checkedAt: number | undefined;
  let toldUntil: number | undefined;
  const run = async (): Promise<void> => {
    const now = io.clock.now();
    checkedAt ??= (await io.store.triggers.lastSlot(name)) ?? now - 1;
    if (await isPaused(name, io)) return;
    const slot = slots.newestSlot(checkedAt, now);
    if (slot !== undefined) {
      const until = await backoffUntil(name, openedAt, io.store.runs);
      if (until !== undefined && now < until) {
        const what = 'the HR system refused the credentials: the schedule waits';
        if (until !== toldUntil) io.logger.warn({ sync: name, until: new Date(until).toISOString() }, what);
        toldUntil = until;
        return;
      }
      const key = `${name}@${new Date(slot).toISOString()}`;
      await requestRun({ sync: name, kind: 'schedule', scope: { kind: 'all' }, key }, io);
    }
    checkedAt = now;
  };
  return { name: `slots of ${name}`, everyMs: 1000, run };
}
