import { backoffUntil } from '../engine/backoff-until.ts';
import type { EngineIo } from '../engine/engine-io.ts';
import { requestRun } from '../engine/request-run.ts';
import { openSchedule } from './schedule.ts';
import type { Task } from './scheduler.ts';

export interface ScheduledSync {
  readonly name: string;
  readonly schedule: { readonly cron: string; readonly timezone: string };
}

/**
 * Stores the trigger of the newest due cron slot of each sync, once across all processes. Missed slots, also those
 * during a pause, become one run. At the first start of a store, no slot counts as missed. Without a due slot it asks
 * nothing of the store.
 */
export function triggerSlots(syncs: readonly ScheduledSync[], io: EngineIo): Task {
  const openedAt = io.clock.now();
  const calendars = syncs.map((sync) => openCalendar(sync, io));
  const run = async (): Promise<void> => {
    const now = io.clock.now();
    const due: { readonly calendar: Calendar; readonly slot: number }[] = [];
    for (const calendar of calendars) {
      const slot = await calendar.dueSlot(now);
      if (slot !== undefined) due.push({ calendar, slot });
    }
    if (due.length === 0) return;
    const paused = new Set((await io.store.pauses.list()).map(({ sync }) => sync));
    for (const { calendar, slot } of due) {
      if (paused.has(calendar.sync) || (await calendar.isWaiting(openedAt, now))) continue;
      const key = `${calendar.sync}@${new Date(slot).toISOString()}`;
      await requestRun({ sync: calendar.sync, kind: 'schedule', scope: { kind: 'all' }, key }, io);
      calendar.requested(now);
    }
  };
  return { name: 'slots', everyMs: 1000, run };
}

/** The slots of one sync. Instants are epoch ms. */
interface Calendar {
  readonly sync: string;
  /** Returns the newest slot up to `now` that was not requested. */
  dueSlot(now: number): Promise<number | undefined>;
  /** Returns whether the schedule waits because the HR system refused the credentials. */
  isWaiting(openedAt: number, now: number): Promise<boolean>;
  /** Records that all slots up to `now` were requested. */
  requested(now: number): void;
}

function openCalendar({ name, schedule }: ScheduledSync, { store, logger }: EngineIo): Calendar {
  const slots = openSchedule(schedule.cron, schedule.timezone);
  let checkedAt: number | undefined;
  let toldUntil: number | undefined;
  return {
    sync: name,
    async dueSlot(now) {
      checkedAt ??= (await store.triggers.lastSlot(name)) ?? now - 1;
      const slot = slots.newestSlot(checkedAt, now);
      if (slot === undefined) checkedAt = now;
      return slot;
    },
    async isWaiting(openedAt, now) {
      const until = await backoffUntil(name, openedAt, store.runs);
      if (until === undefined || now >= until) return false;
      const what = 'the HR system refused the credentials: the schedule waits';
      if (until !== toldUntil) logger.warn({ sync: name, until: new Date(until).toISOString() }, what);
      toldUntil = until;
      return true;
    },
    requested(now) {
      checkedAt = now;
    },
  };
}
