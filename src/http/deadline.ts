/** A time limit over one exchange, from the first byte sent to the last byte read. */
export interface Deadline {
  /** Aborts when the time is over or the outer signal aborts. */
  readonly signal: AbortSignal;
  hasPassed(): boolean;
  /** Starts the time anew: bytes are still flowing (uploads). */
  extend(): void;
  /** Must be called once, however the exchange ended. */
  dispose(): void;
}

/**
 * Bounds an exchange in time. Runs on the process's own timers, not on the injected clock: it guards a real socket,
 * like the socket timeouts of the pool below it.
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
