import { Refusal } from './problem.ts';

export interface RateLimit {
  /** Takes one or more requests from the caller's limit. Throws 429 with the seconds to wait. */
  spend(caller: string, cost?: number): void;
}

/** Requests per minute without a valid token or signature, from all addresses together. */
export const guessesPerMinute = 30;

/**
 * Opens a token bucket of `perMinute` requests per caller. Callers are names from the configuration, never values from a
 * request, so the number of buckets is bounded.
 */
export function openRateLimit(perMinute: number, now: () => number): RateLimit {
  const buckets = new Map<string, { left: number; at: number }>();
  const perMs = perMinute / 60_000;
  return {
    spend(caller, cost = 1) {
      const at = now();
      const bucket = buckets.get(caller) ?? { left: perMinute, at };
      const left = Math.min(perMinute, bucket.left + Math.max(0, at - bucket.at) * perMs);
      // With a low limit, an expensive request must still be possible.
      const price = Math.min(cost, perMinute);
      const isEnough = left >= price;
      buckets.set(caller, { left: isEnough ? left - price : left, at });
      if (isEnough) return;
      const seconds = Math.max(1, Math.ceil((price - left) / perMs / 1000));
      const detail = `more than ${perMinute} requests in a minute: retry after ${seconds} s`;
      throw new Refusal(429, 'TOO_MANY_REQUESTS', detail, seconds);
    },
  };
}
