import type { ClockJump } from '../../core/guard/clock-jump.ts';

/** Number of slots that may pass without a success. */
const missedSlots = 3;
const minuteMs = 60_000;
/** Time to catch up on slots that were missed while no process ran, or the sync could not run. */
export const catchUpMs = 300_000;

/**
 * Returns from when a sync may be called late: it has caught up after the start of the oldest of the processes, and after
 * the clock was put forward.
 */
export function caughtUpAt(startedAt: readonly number[], jumps: readonly ClockJump[], now: number): number {
  const forward = jumps.filter(({ before, after }) => before < after && after <= now).map(({ after }) => after);
  const begins = startedAt.length === 0 ? forward : [Math.min(...startedAt), ...forward];
  return begins.length === 0 ? 0 : Math.max(...begins) + catchUpMs;
}

/** The slots of a schedule (epoch ms). */
export interface Slots {
  /** Returns the newest slot after `after` and not after `upTo`. */
  newestSlot(after: number, upTo: number): number | undefined;
}

export interface Freshness {
  readonly freshnessMs: number | undefined;
  readonly schedule: Slots | undefined;
}

/**
 * Returns the instant from which the last success of a sync must be: by `freshness`, else the fourth-newest slot of its
 * schedule, so that nights and weekends without slots do not count. Undefined without both. Call it with increasing `now`.
 */
export function oldestSuccess({ freshnessMs, schedule }: Freshness): (now: number) => number | undefined {
  if (freshnessMs !== undefined) return (now) => now - freshnessMs;
  if (schedule === undefined) return () => undefined;
  // The run of the newest slot may be under way, so this slot is not missed yet.
  const wanted = missedSlots + 1;
  let newest: readonly number[] = [];
  let checkedAt = 0;
  return (now) => {
    // Several slots may have passed since the last call.
    const isKnown = newest.length > 0 && schedule.newestSlot(checkedAt, now) === undefined;
    if (!isKnown) newest = lastSlots(schedule, wanted, now);
    checkedAt = now;
    return newest[missedSlots];
  };
}

/** Returns the last slots up to `now`, newest first. */
function lastSlots(schedule: Slots, count: number, now: number): readonly number[] {
  const found: number[] = [];
  for (let upTo = now; found.length < count; upTo = (found.at(-1) ?? 0) - minuteMs) {
    const slot = schedule.newestSlot(0, upTo);
    if (slot === undefined) break;
    found.push(slot);
  }
  return found;
}
