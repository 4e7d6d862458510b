import { Refusal } from './problem.ts';

export interface RateLimit {
  /** Takes one or more from what a caller may ask for. Throws 429 with the seconds until it may again. */
  spend(caller: string, cost?: number): void;
}

/**
 * A bucket of `perMinute` requests per caller that fills evenly. Callers are names from the configuration, never what a
 * request says of itself: so the number of buckets is bounded.
 */
export function openRateLimit(perMinute: number, now: () => number): RateLimit {
  const buckets = new Map<string, { left: number; at: number }>();
  const perMs = perMinute / 60_000;
  return {
    spend(caller, cost = 1) {
      const at = now();
      const bucket = buckets.get(caller) ?? { left: perMinute, at };
      const left = Math.min(perMinute, bucket.left + Math.max(0, at - bucket.at) * perMs);
      // A dear request is not refused for ever where little is allowed.
      const price = Math.min(cost, perMinute);
      const isEnough = left >= price;
      buckets.set(caller, { left: isEnough ? left - price : left, at });
      if (isEnough) return;
      const seconds = Math.max(1, Math.ceil((price - left) / perMs / 1000));
      const detail = `more than ${perMinute} requests in a minute: try again in ${seconds} s`;
      throw new Refusal(429, 'TOO_MANY_REQUESTS', detail, seconds);
    },
  };
}
