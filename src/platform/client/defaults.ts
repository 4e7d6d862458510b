import { randomInt } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../../ports/runtime.ts';
import type { AccessTokens } from '../../ports/tokens.ts';

/** A timer for longer than this ends at once (Node.js, `setTimeout`). */
const longestTimerMs = 2 ** 31 - 1;

/** Returns a clock that sleeps with the timers of this process. `now` returns epoch ms. */
export function realClock(now: () => number): Clock {
  return {
    now,
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      try {
        const options = signal === undefined ? {} : { signal };
        for (let leftMs = ms; leftMs > 0; leftMs -= longestTimerMs)
          await wait(Math.min(leftMs, longestTimerMs), undefined, options);
      } catch (error) {
        throw signal?.aborted === true ? signal.reason : error;
      }
    },
  };
}

/** Returns a random number, 0 ≤ x < 1. */
export function randomShare(): number {
  return randomInt(2 ** 32) / 2 ** 32;
}

/** Returns an access token that is never renewed. */
export function fixedToken(secret: string): AccessTokens {
  const token = async () => ({ secret, generation: 0 });
  return { current: token, renew: token, accepted: () => {} };
}

/** Returns a signal that never aborts, for a call without one. */
export function unaborted(): AbortSignal {
  return new AbortController().signal;
}
