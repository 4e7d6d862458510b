import { createTask } from 'node-cron';

const minuteMs = 60_000;
const quarterMs = 15 * minuteMs;
/** How far back a missed slot is looked for: a monthly one is still found. */
const longestOutageMs = 35 * 86_400_000;

/**
 * A cron text in a time zone, asked for slots; it starts no timer. Slots are whole minutes, epoch ms. The wall clock
 * decides: in an hour that comes twice a slot comes twice, and the slots of an hour that is jumped over come, as one,
 * in the minute after the jump.
 */
export interface Schedule {
  /** The newest slot after `after` and not after `upTo`, or undefined. Several missed slots are one catch-up. */
  newestSlot(after: number, upTo: number): number | undefined;
  /** The first slot after `after`, looked for up to 35 days ahead. */
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

/** Gives the zone's wall time of an instant as the instant that shows it in UTC. Zones change at whole quarters of an hour. */
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
