import PQueue from 'p-queue';
import type { Limits } from '../core/settings.ts';
import type { RateBudget } from '../ports/rate-budget.ts';
import type { Clock } from '../ports/runtime.ts';

/** Starts calls in order, within the connection's limits. */
export interface Limiter {
  /** Runs `task` when it is its turn. Rejects with the signal's reason if the signal aborts before the task starts. */
  run<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

/**
 * Opens a limiter for one connection. Concurrency is a queue of this process. The rate belongs to the budget, which
 * other processes may share.
 */
export function openLimiter(
  limits: Limits,
  clock: Clock,
  budget: RateBudget = openLocalBudget(limits, clock),
): Limiter {
  const queue = new PQueue({ concurrency: limits.concurrency });
  const pace = async (signal: AbortSignal): Promise<void> => {
    const waitMs = await budget.take();
    signal.throwIfAborted();
    // One more than needed, because timers may fire up to a millisecond early.
    if (waitMs > 0) await clock.sleep(waitMs + 1, signal);
  };
  return {
    async run(task, signal) {
      signal.throwIfAborted();
      // The queue must drop a waiting task at once, but never hide the result of a running one.
      const waiting = new AbortController();
      const onAbort = (): void => waiting.abort(signal.reason);
      signal.addEventListener('abort', onAbort, { once: true });
      const begin = (): void => signal.removeEventListener('abort', onAbort);
      try {
        return await queue.add(
          async () => {
            begin();
            signal.throwIfAborted();
            await pace(signal);
            return await task();
          },
          { signal: waiting.signal },
        );
      } finally {
        begin();
      }
    },
  };
}

/**
 * Opens the budget of this process: a sliding window over the injected clock. At most `requestsPerSecond` calls start
 * in any 1000 ms; below one per second, one call starts per `1000 / rate` ms.
 */
export function openLocalBudget(limits: Limits, clock: Clock): RateBudget {
  const nextStart = openWindow(limits);
  return { take: async () => nextStart(clock.now()) };
}

/** Returns the wait in ms from `now` until the caller may start. */
function openWindow(limits: Limits): (now: number) => number {
  const burst = Math.max(1, Math.floor(limits.requestsPerSecond));
  const windowMs = (burst * 1000) / limits.requestsPerSecond;
  const longestWaitMs = windowMs * (2 + limits.concurrency / burst);
  const starts: number[] = [];
  return (now) => {
    const oldest = starts.length < burst ? undefined : starts.shift();
    let start = oldest === undefined ? now : Math.max(now, oldest + windowMs);
    if (start - now > longestWaitMs) {
      // The wall clock went back, so earlier starts mean nothing.
      starts.length = 0;
      start = now;
    }
    starts.push(start);
    return start - now;
  };
}
