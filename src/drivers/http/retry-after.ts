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
  if (seconds.test(text)) {
    const number = Number(text);
    return number < longestSeconds ? Math.ceil(number * 1000) : untilInstant(number, at);
  }
  // Date.parse accepts far more than HTTP dates; `12` or `soon-ish 2030` is invalid here.
  if (!httpDate.test(text)) return undefined;
  return ahead(Date.parse(asctime.test(text) ? `${text} GMT` : text), at);
}

/** Returns the wait until an epoch in seconds or milliseconds, from `at`. Undefined when it has passed. */
export function untilInstant(epoch: number, at: number): number | undefined {
  return ahead(epoch < leastMilliseconds ? epoch * 1000 : epoch, at);
}

function ahead(instant: number, at: number): number | undefined {
  return instant > at ? instant - at : undefined;
}

/** Returns when an answer was made, by the clock of its server; `now` without a `Date` that can be read. */
export function answeredAt(header: HeaderReader, now: number): number {
  const text = header('date')?.trim() ?? '';
  const at = httpDate.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? now : at;
}
