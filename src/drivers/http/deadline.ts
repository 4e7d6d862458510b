/** A time limit for one exchange, from the first byte sent to the last byte read. */
export interface Deadline {
  /** Aborts when the time is over or the outer signal aborts. */
  readonly signal: AbortSignal;
  hasPassed(): boolean;
  /** Restarts the time, because bytes still flow (uploads). */
  extend(): void;
  /** Must be called exactly once, however the exchange ends. */
  dispose(): void;
}

/**
 * Starts a time limit. Uses the timers of the process, not the injected clock, because it guards a real socket like the
 * socket timeouts of the pool below it.
 */
export function startDeadline(outer: AbortSignal, timeoutMs: number): Deadline {
  const controller = new AbortController();
  let isOver = false;
  const timer = setTimeout(() => {
    isOver = true;
    controller.abort();
  }, timeoutMs);
  const onAbort = (): void => controller.abort(outer.reason);
  if (outer.aborted) onAbort();
  else outer.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    hasPassed: () => isOver,
    extend: () => void timer.refresh(),
    dispose: () => {
      clearTimeout(timer);
      outer.removeEventListener('abort', onAbort);
    },
  };
}
