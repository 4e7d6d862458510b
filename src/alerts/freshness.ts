/** So many slots of a schedule may pass without a success. */
const missedSlots = 3;
const minuteMs = 60_000;
/** What was missed while nothing ran, or while a sync was paused, is caught up first; only then is it too late. */
export const catchUpMs = 300_000;

/** Excuses a sync until `freshFrom`, while it is paused, and until it has had time to catch up. */
export function untilCaughtUp(freshFrom: number): (now: number, isPaused: boolean) => boolean {
  let from = freshFrom;
  return (now, isPaused) => {
    if (isPaused) from = Math.max(from, now + catchUpMs);
    return now < from;
  };
}

/** The slots of a schedule, asked one at a time (epoch ms). */
export interface Slots {
  /** The newest slot after `after` and not after `upTo`, or undefined. */
  newestSlot(after: number, upTo: number): number | undefined;
}

export interface Freshness {
  readonly freshnessMs?: number | undefined;
  readonly schedule?: Slots | undefined;
}

/**
 * How new the last success of a sync must be: by `freshness`, else as new as the fourth-newest slot of its schedule, so
 * that nights and weekends without slots count for nothing; else nothing is expected. To be asked with time going on.
 */
export function oldestSuccess({ freshnessMs, schedule }: Freshness): (now: number) => number | undefined {
  if (freshnessMs !== undefined) return (now) => now - freshnessMs;
  if (schedule === undefined) return () => undefined;
  // The newest slot's own run may be under way: it is not missed yet.
  const wanted = missedSlots + 1;
  let newest: readonly number[] = [];
  let checkedAt = 0;
  return (now) => {
    if (newest.length === 0) newest = lastSlots(schedule, wanted, now);
    else {
      const slot = schedule.newestSlot(checkedAt, now);
      if (slot !== undefined) newest = [slot, ...newest].slice(0, wanted);
    }
    checkedAt = now;
    return newest[missedSlots];
  };
}

/** The last slots up to `now`, the newest first. */
function lastSlots(schedule: Slots, count: number, now: number): readonly number[] {
  const found: number[] = [];
  for (let upTo = now; found.length < count; upTo = (found.at(-1) ?? 0) - minuteMs) {
    const slot = schedule.newestSlot(0, upTo);
    if (slot === undefined) break;
    found.push(slot);
  }
  return found;
}
