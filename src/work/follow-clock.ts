import type { Clock, Uptime } from '../ports/runtime.ts';

const checkEveryMs = 5000;
/** Below it, the two times differ only by the resolution of the coarse one (ms). */
const sleepMs = 1000;

/**
 * Checks the clock of the store every few seconds. Returns a function that ends this. A store that is not available is
 * reported by the work that needs it; the clock then continues by the uptime.
 */
export function followClock(check: () => Promise<void>, { sleep }: Clock): () => Promise<void> {
  const over = new AbortController();
  const follow = async (): Promise<void> => {
    while (!over.signal.aborted) {
      await sleep(checkEveryMs, over.signal).catch(() => {});
      if (!over.signal.aborted) await check().catch(() => {});
    }
  };
  const following = follow();
  return () => {
    over.abort();
    return following;
  };
}

/**
 * Makes one uptime of two (ms): the system's own, which is coarse, and the process's timer, which stops while the
 * machine sleeps.
 */
export function uptimeOf(coarse: () => number, fine: () => number): Uptime['now'] {
  const aheadMs = coarse() - fine();
  return () => {
    const [rough, exact] = [coarse(), fine() + aheadMs];
    return Math.abs(rough - exact) < sleepMs ? exact : rough;
  };
}
