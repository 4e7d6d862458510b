/** A step of the store's clock against steady time: an administrator or a time service set it, or a machine was paused. */
export interface ClockJump {
  /** What the clock would have shown without the jump (epoch ms). */
  readonly before: number;
  /** What it showed instead (epoch ms). */
  readonly after: number;
}

/**
 * Returns how far the clock moved while the last `ms` of real time passed: more than `ms` after a jump forward, because no
 * time passed in it. A jump back needs nothing: ages then look younger, and what waits for an age waits longer.
 */
export function clockSpan(ms: number, now: number, jumps: readonly ClockJump[]): number {
  let spanMs = ms;
  for (const { before, after } of jumps.toSorted((a, b) => b.after - a.after)) {
    if (after > before && now - spanMs < after) spanMs += after - before;
  }
  return spanMs;
}

/**
 * Returns the age of something in real time (ms), at most: a jump forward is no age, and after a jump back it is assumed
 * to be from before the jump. For what is void above an age; for what has to wait for one, see `clockSpan`.
 */
export function longestAge(since: number, now: number, jumps: readonly ClockJump[]): number {
  const met = jumps.filter(({ before, after }) => since <= before && after <= now);
  return now - since - met.reduce((sum, { before, after }) => sum + after - before, 0);
}
