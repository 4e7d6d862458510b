import PQueue from 'p-queue';
import { allowedAt, fullPace, longestPauseMs, type PaceNews, paceAfter } from '../../core/run/pace.ts';
import type { Limits } from '../../core/run/settings.ts';
import type { RateBudget } from '../../ports/platform.ts';
import type { Clock } from '../../ports/runtime.ts';

/**
 * Starts calls of one connection in order, within its limits, and slower while the platform asks for it. Concurrency is a
 * queue of this process. The rate belongs to the budget, which other processes may share.
 */
export function openLimiter(limits: Limits, clock: Clock, budget: RateBudget = openLocalBudget(limits, clock)) {
  const queue = new PQueue({ concurrency: limits.concurrency });
  /** Returns the rate that is allowed now. */
  const obey = (): number => {
    const { perSecond, concurrency } = allowedAt(budget.pace(), limits, clock.now());
    queue.concurrency = concurrency;
    return perSecond;
  };
  const pace = async (signal: AbortSignal): Promise<void> => {
    const pauseMs = Math.min(longestPauseMs, budget.pace().notBefore - clock.now());
    if (pauseMs > 0) await clock.sleep(pauseMs + 1, signal);
    const waitMs = await budget.take(obey());
    signal.throwIfAborted();
    // One more than needed, because timers may fire up to a millisecond early.
    if (waitMs > 0) await clock.sleep(waitMs + 1, signal);
  };
  return {
    /** Runs `task` when it is its turn. Rejects with the signal's reason if the signal aborts before the task starts. */
    async run<T>(task: () => Promise<T>, signal: AbortSignal) {
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
    /** Learns from an answer. */
    learn(news: PaceNews) {
      const known = budget.pace();
      const learned = paceAfter(known, news);
      if (learned === known) return;
      budget.learn(learned);
      obey();
    },
  };
}

/**
 * Opens the budget of this process: a sliding window over the injected clock. At most `perSecond` calls start in any
 * 1000 ms; below one per second, one call starts per `1000 / perSecond` ms.
 */
export function openLocalBudget(limits: Pick<Limits, 'concurrency'>, clock: Clock): RateBudget {
  const nextStart = openWindow(limits.concurrency);
  let pace = fullPace;
  return {
    take: async (perSecond) => nextStart(clock.now(), perSecond),
    pace: () => pace,
    learn(learned) {
      pace = learned;
    },
  };
}

/** Returns the wait in ms from `now` until the caller may start. */
function openWindow(concurrency: number): (now: number, perSecond: number) => number {
  const starts: number[] = [];
  return (now, perSecond) => {
    const burst = Math.max(1, Math.floor(perSecond));
    const windowMs = (burst * 1000) / perSecond;
    const oldest = starts.splice(0, starts.length - burst + 1).at(-1);
    let start = oldest === undefined ? now : Math.max(now, oldest + windowMs);
    if (start - now > windowMs * (2 + concurrency / burst)) {
      // The wall clock went back, so earlier starts mean nothing.
      starts.length = 0;
      start = now;
    }
    starts.push(start);
    return start - now;
  };
}
