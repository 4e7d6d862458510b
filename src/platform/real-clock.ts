import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../ports/runtime.ts';

/** Returns a clock that sleeps with the timers of this process. `now` returns epoch ms. */
export function realClock(now: () => number): Clock {
  return {
    now,
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      try {
        if (ms > 0) await wait(ms, undefined, signal === undefined ? {} : { signal });
      } catch (error) {
        throw signal?.aborted === true ? signal.reason : error;
      }
    },
  };
}
