import { isIP } from 'node:net';
import { Refusal } from './problem.ts';

export interface RateLimit {
  /** Takes one or more requests from the caller's limit. Throws 429 with the seconds to wait. */
  spend(caller: string, cost?: number): void;
}

/** Requests per minute and address without a valid token or signature. */
export const guessesPerMinute = 30;

/** Above this number, buckets that are full again are forgotten, and then the oldest. */
const mostBuckets = 10_000;

/** Opens a token bucket of `perMinute` requests per caller: a name of the configuration, or an address. */
export function openRateLimit(perMinute: number, now: () => number): RateLimit {
  const buckets = new Map<string, { left: number; at: number }>();
  const perMs = perMinute / 60_000;
  const forget = (now: number): void => {
    for (const [caller, { left, at }] of buckets) if (left + (now - at) * perMs >= perMinute) buckets.delete(caller);
    // The order of a map is that of the last request.
    for (const [caller] of buckets) if (buckets.size > mostBuckets) buckets.delete(caller);
  };
  return {
    spend(caller, cost = 1) {
      const at = now();
      const bucket = buckets.get(caller) ?? { left: perMinute, at };
      const left = Math.min(perMinute, bucket.left + Math.max(0, at - bucket.at) * perMs);
      // With a low limit, an expensive request must still be possible.
      const price = Math.min(cost, perMinute);
      const isEnough = left >= price;
      buckets.delete(caller);
      buckets.set(caller, { left: isEnough ? left - price : left, at });
      if (buckets.size > mostBuckets) forget(at);
      if (isEnough) return;
      const seconds = Math.max(1, Math.ceil((price - left) / perMs / 1000));
      const detail = `more than ${perMinute} requests in a minute: retry after ${seconds} s`;
      throw new Refusal(429, 'TOO_MANY_REQUESTS', detail, seconds);
    },
  };
}

/** Returns what shares one bucket with the address: an IPv6 user has a network of 64 bits, and any address in it. */
export function networkOf(address: string): string {
  if (isIP(address) !== 6 || address.startsWith('::ffff:')) return address;
  const [head = '', tail] = address.split('::');
  const before = head.split(':').filter((part) => part !== '');
  const after = (tail ?? '').split(':').filter((part) => part !== '');
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - before.length - after.length }, () => '0');
  return `${[...before, ...zeros, ...after].slice(0, 4).join(':')}::/64`;
}
