import type { EngineIo } from '../run/engine-io.ts';
import { backoffUntil } from '../run/request-run.ts';
import { openSchedule } from './schedule.ts';

export interface ScheduledSync {
  readonly name: string;
  readonly schedule: { readonly cron: string; readonly timezone: string };
}

/**
 * Opens the calendars of syncs with a schedule. At the first start of a store, no slot counts as missed. A restart tries
 * refused credentials again at once.
 */
export function openCalendars(syncs: readonly ScheduledSync[], io: EngineIo) {
  const openedAt = io.clock.now();
  return syncs.map((sync) => openCalendar(sync, openedAt, io));
}

function openCalendar({ name, schedule }: ScheduledSync, openedAt: number, { store, logger }: EngineIo) {
  const slots = openSchedule(schedule.cron, schedule.timezone);
  let checkedAt: number | undefined;
  let loggedUntil: number | undefined;
  return {
    sync: name,
    async dueSlot(now: number) {
      checkedAt ??= (await store.triggers.lastSlot(name)) ?? now - 1;
      const slot = slots.newestSlot(checkedAt, now);
      if (slot === undefined) checkedAt = now;
      return slot;
    },
    async isWaiting(now: number) {
      const until = await backoffUntil(name, openedAt, store.runs);
      if (until === undefined || now >= until) return false;
      const what = 'the HR system refused the credentials: the schedule waits';
      if (until !== loggedUntil) logger.warn({ sync: name, until: new Date(until).toISOString() }, what);
      loggedUntil = until;
      return true;
    },
    requested(now: number) {
      checkedAt = now;
    },
  };
}
