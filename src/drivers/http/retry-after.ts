/** Longest accepted `Retry-After`. A job delayed for longer looks like a dead one. */
export const maxRetryAfterMs = 3_600_000;

/**
 * Reads `Retry-After` (RFC 9110, 10.2.3), whole seconds or an HTTP date, as a wait in ms from `now`. Returns 0 for a
 * past date, at most `maxRetryAfterMs`, and undefined for anything else.
 */
export function readRetryAfter(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d{1,15}$/.test(text)) return Math.min(Number(text) * 1000, maxRetryAfterMs);
  // Date.parse accepts far more than HTTP dates; `12` or `soon-ish 2030` is invalid here.
  if (!/^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.min(Math.max(0, at - now), maxRetryAfterMs);
}
