import type { Quota } from '../../core/run/pace.ts';
import { answeredAt, untilInstant } from './retry-after.ts';

/** Longest accepted time until a quota is renewed: one day. */
const longestResetMs = 86_400_000;

/**
 * Reads how many requests a server leaves: `RateLimit` as items (`"default";r=50;t=30`, draft 8 and later of the IETF's
 * httpapi-ratelimit-headers) or as members (`limit=100, remaining=50, reset=30`, draft 7), else `RateLimit-Remaining` and
 * `RateLimit-Reset` (draft 6 and earlier), else the same with `X-`. A reset is in seconds; with `X-` it may be an
 * instant, in seconds or milliseconds. Returns the one of several items that leaves the fewest requests for its time.
 * Returns undefined for anything else.
 */
export function readQuota(header: (name: string) => string | undefined, now: number): Quota | undefined {
  const combined = header('ratelimit');
  if (combined !== undefined) return readCombined(combined);
  for (const prefix of ['ratelimit', 'x-ratelimit']) {
    const remaining = wholeNumber(header(`${prefix}-remaining`));
    const reset = wholeNumber(header(`${prefix}-reset`));
    if (remaining === undefined || reset === undefined) continue;
    return quotaOf(remaining, prefix === 'ratelimit' ? reset * 1000 : resetIn(reset, answeredAt(header, now)));
  }
  return undefined;
}

function readCombined(text: string): Quota | undefined {
  const members = paramsOf(text, /[,;]/);
  if (members.has('remaining')) return fromParams(members, 'remaining', 'reset');
  const quotas = text.split(',').map((item) => fromParams(paramsOf(item, /;/), 'r', 't'));
  const known = quotas.filter((quota) => quota !== undefined);
  const perMs = ({ remaining, resetMs }: Quota): number => remaining / Math.max(1, resetMs);
  return known.toSorted((a, b) => perMs(a) - perMs(b))[0];
}

function paramsOf(text: string, separator: RegExp): ReadonlyMap<string, string> {
  return new Map(
    text.split(separator).map((part) => {
      const [name = '', value = ''] = part.split('=');
      return [name.trim().toLowerCase(), value];
    }),
  );
}

function fromParams(params: ReadonlyMap<string, string>, remaining: string, reset: string): Quota | undefined {
  const [left, seconds] = [wholeNumber(params.get(remaining)), wholeNumber(params.get(reset))];
  return left === undefined || seconds === undefined ? undefined : quotaOf(left, seconds * 1000);
}

/** Values above ten years of seconds are instants, and above that of milliseconds too. */
function resetIn(value: number, at: number): number {
  return value < 315_360_000 ? value * 1000 : (untilInstant(value, at) ?? 0);
}

function quotaOf(remaining: number, resetMs: number): Quota | undefined {
  return resetMs > longestResetMs ? undefined : { remaining, resetMs };
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\s*\d{1,15}\s*$/.test(text) ? Number(text) : undefined;
}
