import { createTask } from 'node-cron';
import type { EngineIo } from '../run/engine-io.ts';
import { backoffUntil } from '../run/request-run.ts';
import type { DueSlots } from '../run/work.ts';

const minuteMs = 60_000;
const quarterMs = 15 * minuteMs;
const dayMs = 86_400_000;
/** How far back a missed slot is searched (ms). A missed monthly slot is still found. */
const longestOutageMs = 35 * dayMs;
/** How far ahead the next slot is searched (ms). 29 February is found. */
const farthestMs = 8 * 366 * dayMs;

/**
 * A cron expression in a time zone. It starts no timer. Slots are whole minutes, epoch ms. The wall clock decides. In
 * an hour that repeats, only slots of every hour (`*`) repeat. The slots of a skipped hour become one slot in the minute
 * after the change.
 */
export interface Schedule {
  /** Returns the newest slot after `after` and not after `upTo`, or undefined. Several missed slots count as one. */
  newestSlot(after: number, upTo: number): number | undefined;
  /** Returns the first slot after `after`, up to eight years ahead. */
  nextSlot(after: number): number | undefined;
}

/** Opens a schedule of five cron fields and an IANA zone, both checked by the configuration. */
export function openSchedule(cron: string, timezone: string): Schedule {
  const isMatch = openMatcher(cron);
  const [, hour = '*', ...dayFields] = cron.trim().split(/\s+/);
  const isMatchingDay = openMatcher(['*', '*', ...dayFields].join(' '));
  const repeats = hour.startsWith('*') || hour.startsWith('@hourly');
  const wallAt = openWallClock(timezone);
  /** Returns whether the clock showed the same time before, because it was put back in between. */
  const isRepeated = (at: number, wall: number): boolean => {
    const backMs = wallAt(at - dayMs) - (wall - dayMs);
    return backMs > 0 && wallAt(at - backMs) === wall;
  };
  const isSlot = (at: number): boolean => {
    const wall = wallAt(at);
    if (isMatch(wall)) return repeats || !isRepeated(at, wall);
    for (let skipped = wallAt(at - minuteMs) + minuteMs; skipped < wall; skipped += minuteMs) {
      if (isMatch(skipped)) return true;
    }
    return false;
  };
  /** Returns whether a UTC day has no slot: its clock does not change, and neither of its two wall days matches. */
  const isEmptyDay = (startsAt: number): boolean => {
    const first = wallAt(startsAt - minuteMs) + minuteMs;
    const last = wallAt(startsAt + dayMs - minuteMs);
    return last - first === dayMs - minuteMs && !isMatchingDay(first) && !isMatchingDay(last);
  };
  return {
    newestSlot(after, upTo) {
      const oldest = Math.max(after, upTo - longestOutageMs);
      for (let at = floorTo(upTo, minuteMs); at > oldest; ) {
        const startsAt = floorTo(at, dayMs);
        if (!isEmptyDay(startsAt)) {
          for (const first = Math.max(startsAt, oldest + 1); at >= first; at -= minuteMs) if (isSlot(at)) return at;
        }
        at = startsAt - minuteMs;
      }
      return undefined;
    },
    nextSlot(after) {
      const last = after + farthestMs;
      for (let at = floorTo(after, minuteMs) + minuteMs; at <= last; ) {
        const startsAt = floorTo(at, dayMs);
        if (!isEmptyDay(startsAt)) {
          for (; at < startsAt + dayMs; at += minuteMs) if (isSlot(at)) return at;
        }
        at = startsAt + dayMs;
      }
      return undefined;
    },
  };
}

/** Opens the schedules of what has one, by name. */
export function openSchedules(
  some: readonly { readonly name: string; readonly schedule?: ScheduledSync['schedule'] }[],
): ReadonlyMap<string, Schedule> {
  const opened = new Map<string, Schedule>();
  for (const { name, schedule } of some) {
    if (schedule !== undefined) opened.set(name, openSchedule(schedule.cron, schedule.timezone));
  }
  return opened;
}

function floorTo(at: number, unitMs: number): number {
  return Math.floor(at / unitMs) * unitMs;
}

/**
 * Returns a function that says whether an expression of five fields matches a wall time, given as if it were UTC. Where
 * day of month and day of week are both given, either is enough, as in POSIX and Kubernetes.
 */
function openMatcher(cron: string): (wall: number) => boolean {
  const [minute, hour, day = '*', month, weekday = '*'] = cron.trim().split(/\s+/);
  const isAny = (field: string): boolean => field === '*' || field === '?';
  const patterns =
    isAny(day) || isAny(weekday)
      ? [cron]
      : [`${minute} ${hour} ${day} ${month} *`, `${minute} ${hour} * ${month} ${weekday}`];
  const tasks = patterns.map((one) => createTask(one, () => {}, { timezone: 'UTC', suppressMissedWarning: true }));
  return (wall) => tasks.some((task) => task.match(new Date(wall)));
}

/** Returns until when an instant is in a window, or undefined outside of all. */
export type Windows = (now: number) => number | undefined;

/**
 * Opens windows that begin at the slots of a cron expression and last a time by the wall clock: 60 hours from Friday
 * 18:00 end on Monday 06:00, also when the clock changes in between.
 */
export function openWindows({
  cron,
  timezone,
  forMs,
}: ScheduledSync['schedule'] & { readonly forMs: number }): Windows {
  const slots = openSchedule(cron, timezone);
  const wallAt = openWallClock(timezone);
  return (now) => {
    // A clock that was changed prolongs the window by hours at most.
    const startsAt = slots.newestSlot(now - forMs - dayMs, now);
    if (startsAt === undefined) return undefined;
    const endsAt = startsAt + forMs;
    const until = endsAt + wallAt(startsAt) + forMs - wallAt(endsAt);
    return now < until ? until : undefined;
  };
}

/**
 * Returns a function that maps an instant to the instant that shows the same wall time in UTC. Zones change only at
 * quarter hours.
 */
function openWallClock(timezone: string): (at: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  let known = { quarter: Number.NaN, offsetMs: 0 };
  return (at) => {
    const quarter = floorTo(at, quarterMs);
    if (known.quarter !== quarter) known = { quarter, offsetMs: wallOf(format, quarter) - quarter };
    return at + known.offsetMs;
  };
}

function wallOf(format: Intl.DateTimeFormat, at: number): number {
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'));
}

interface ScheduledSync {
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

/** Opens the slots of a schedule. `lastSlot` returns the newest that was requested; at the first start, no slot counts as missed. */
export function openSlots(
  { cron, timezone }: ScheduledSync['schedule'],
  lastSlot: () => Promise<number | undefined>,
): DueSlots {
  const slots = openSchedule(cron, timezone);
  let checkedAt: number | undefined;
  return {
    async dueSlot(now) {
      checkedAt ??= (await lastSlot()) ?? now - 1;
      const slot = slots.newestSlot(checkedAt, now);
      if (slot === undefined) checkedAt = now;
      return slot;
    },
    requested(now) {
      checkedAt = now;
    },
  };
}

function openCalendar({ name, schedule }: ScheduledSync, openedAt: number, { store, logger }: EngineIo) {
  let loggedUntil: number | undefined;
  return {
    sync: name,
    ...openSlots(schedule, () => store.triggers.lastSlot(name)),
    async isWaiting(now: number) {
      const until = await backoffUntil(name, openedAt, store.runs);
      if (until === undefined || now >= until) return false;
      const what = 'the HR system refused the credentials: the schedule waits';
      if (until !== loggedUntil) logger.warn({ sync: name, until: new Date(until).toISOString() }, what);
      loggedUntil = until;
      return true;
    },
  };
}
