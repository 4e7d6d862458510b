import { createTask } from 'node-cron';

const minuteMs = 60_000;
const quarterMs = 15 * minuteMs;
/** How far back a missed slot is searched (ms). A missed monthly slot is still found. */
const longestOutageMs = 35 * 86_400_000;

/**
 * A cron expression in a time zone. It starts no timer. Slots are whole minutes, epoch ms. The wall clock decides. In
 * an hour that repeats, its slots repeat. The slots of a skipped hour become one slot in the minute after the change.
 */
export interface Schedule {
  /** Returns the newest slot after `after` and not after `upTo`, or undefined. Several missed slots count as one. */
  newestSlot(after: number, upTo: number): number | undefined;
  /** Returns the first slot after `after`, up to 35 days ahead. */
  nextSlot(after: number): number | undefined;
}

/** Opens a schedule of five cron fields and an IANA zone, both checked by the configuration. */
export function openSchedule(cron: string, timezone: string): Schedule {
  const task = createTask(cron, () => {}, { timezone: 'UTC', suppressMissedWarning: true });
  const wallAt = openWallClock(timezone);
  const isSlot = (at: number): boolean => {
    const wall = wallAt(at);
    if (task.match(new Date(wall))) return true;
    for (let skipped = wallAt(at - minuteMs) + minuteMs; skipped < wall; skipped += minuteMs) {
      if (task.match(new Date(skipped))) return true;
    }
    return false;
  };
  return {
    newestSlot(after, upTo) {
      const oldest = Math.max(after, upTo - longestOutageMs);
      for (let at = Math.floor(upTo / minuteMs) * minuteMs; at > oldest; at -= minuteMs) {
        if (isSlot(at)) return at;
      }
      return undefined;
    },
    nextSlot(after) {
      const last = after + longestOutageMs;
      for (let at = (Math.floor(after / minuteMs) + 1) * minuteMs; at <= last; at += minuteMs) {
        if (isSlot(at)) return at;
      }
      return undefined;
    },
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
    const quarter = Math.floor(at / quarterMs) * quarterMs;
    if (known.quarter !== quarter) known = { quarter, offsetMs: wallOf(format, quarter) - quarter };
    return at + known.offsetMs;
  };
}

function wallOf(format: Intl.DateTimeFormat, at: number): number {
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'));
}
