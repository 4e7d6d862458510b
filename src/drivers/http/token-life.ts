/** The lifetime of an access token, as a token endpoint states it. */
export interface TokenLife {
  /** Undefined: unknown. */
  readonly ms: number | undefined;
  /** What is wrong with `expires_in`, as a clause without its value. Undefined for a usable number. */
  readonly oddity: string | undefined;
}

/** No platform issues access tokens for longer. Such a number has another unit, or is a mistake. */
const longestLifeMs = 400 * 24 * 3_600_000;

/** Reads `expires_in` (RFC 6749, 5.1). Never throws: a token is stored whatever its lifetime says. */
export function readTokenLife(value: unknown, unitMs: number): TokenLife {
  const odd = (what: string): TokenLife => ({ ms: undefined, oddity: `\`expires_in\` ${what}` });
  if (value === undefined || value === null) return odd('is absent');
  const isText = typeof value === 'string';
  if (isText && !/^\s*\d{1,15}(?:\.\d+)?\s*$/.test(value)) return odd('is not a number');
  if (!isText && typeof value !== 'number') return odd('is not a number');
  const ms = Number(value) * unitMs;
  if (ms === 0) return odd('is 0');
  if (ms < 0) return odd('is negative');
  if (ms > longestLifeMs) return odd('is longer than 400 days');
  return { ms, oddity: isText ? '`expires_in` is a text' : undefined };
}
