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
