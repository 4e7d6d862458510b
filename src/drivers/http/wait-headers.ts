import type { Quota } from '../../core/run/pace.ts';

/** Longest accepted `Retry-After`. A job delayed for longer looks like a dead one. */
export const maxRetryAfterMs = 3_600_000;

type HeaderReader = (name: string) => string | undefined;

/** Numbers above ten years of seconds are instants: epoch seconds, and above that epoch milliseconds. */
const longestSeconds = 315_360_000;
const leastMilliseconds = 1e11;

const seconds = /^\d{1,15}(?:\.\d{1,9})?$/;
/** The three forms of an HTTP date begin with a weekday (RFC 9110, 5.6.7). The last one names no zone and means UTC. */
const httpDate = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /;
/** A comma before another value. A date holds a comma itself, after the weekday. */
const betweenValues = /,(?=\s*(?:[\d.]+\s*(?:,|$)|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)))/;
const asctime = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [\d ]\d [\d:]{8} \d{4}$/;

/**
 * Reads `Retry-After` (RFC 9110, 10.2.3) as a wait in ms, at most `maxRetryAfterMs`: seconds, also with a fraction; an
 * HTTP date; or epoch seconds. An instant is compared with the answer's own `Date`, so that neither clock matters. The
 * longest wait of a header that was sent twice (`30, 30`) counts. Returns undefined for anything else, and for an
 * instant that has passed: the caller then backs off as without the header. `now` counts where `Date` is missing.
 */
export function readRetryAfter(header: HeaderReader, now: number): number | undefined {
  const text = header('retry-after')?.trim() ?? '';
  const at = answeredAt(header, now);
  const waits = text
    .split(betweenValues)
    .map((one) => readOne(one.trim(), at))
    .filter((wait) => wait !== undefined);
  return waits.length === 0 ? undefined : Math.min(Math.max(...waits), maxRetryAfterMs);
}

function readOne(text: string, at: number): number | undefined {
  if (seconds.test(text)) return waitOf(Number(text), at);
  // Date.parse accepts far more than HTTP dates; `12` or `soon-ish 2030` is invalid here.
  if (!httpDate.test(text)) return undefined;
  return ahead(Date.parse(asctime.test(text) ? `${text} GMT` : text), at);
}

/** Returns the wait that a number of seconds means, or the instant that it is. */
function waitOf(number: number, at: number): number | undefined {
  return number < longestSeconds ? Math.ceil(number * 1000) : untilInstant(number, at);
}

/** Returns the wait until an epoch in seconds or milliseconds, from `at`. Undefined when it has passed. */
export function untilInstant(epoch: number, at: number): number | undefined {
  return ahead(epoch < leastMilliseconds ? epoch * 1000 : epoch, at);
}

function ahead(instant: number, at: number): number | undefined {
  return instant > at ? instant - at : undefined;
}

/** Returns when an answer was made, by the clock of its server; `now` without a `Date` that can be read. */
function answeredAt(header: HeaderReader, now: number): number {
  const text = header('date')?.trim() ?? '';
  const at = httpDate.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? now : at;
}

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
    return quotaOf(remaining, prefix === 'ratelimit' ? reset * 1000 : (waitOf(reset, answeredAt(header, now)) ?? 0));
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

function quotaOf(remaining: number, resetMs: number): Quota | undefined {
  return resetMs > longestResetMs ? undefined : { remaining, resetMs };
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\s*\d{1,15}\s*$/.test(text) ? Number(text) : undefined;
}
