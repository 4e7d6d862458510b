import type { DeadToken } from '../../ports/tokens.ts';
import { isRecord } from './json-text.ts';

/** The tokens of a successful answer of a token endpoint (RFC 6749, 5.1). Never log them. */
export interface GrantedTokens {
  readonly accessToken: string | undefined;
  readonly refreshToken: string | undefined;
  /** Lifetime of the access token in ms. Undefined: unknown, so `assumedLifeMs` counts. */
  readonly lifeMs: number | undefined;
  /** What is unusual about the answer, as clauses that quote nothing of it. */
  readonly oddities: readonly string[];
}

/** Assumed lifetime of an access token without a usable `expires_in`. A 401 renews it anyway. */
export const assumedLifeMs = 300_000;

/** No platform issues access tokens for longer. Such a number has another unit, or is a mistake. */
const longestLifeMs = 400 * 24 * 3_600_000;

/**
 * Reads everything that may be a token; undefined when there is none. Never throws, and judges nothing: a token that is
 * granted and thrown away locks its owner out, so a caller that presented a refresh token stores the answer first.
 * `unitMs` is the unit of `expires_in`.
 */
export function readGrantedTokens(value: unknown, unitMs: number): GrantedTokens | undefined {
  const answer = isRecord(value) ? value : {};
  const accessToken = textOf(answer.access_token);
  const refreshToken = textOf(answer.refresh_token);
  if (accessToken === undefined && refreshToken === undefined) return undefined;
  const life = readTokenLife(answer.expires_in, unitMs);
  const type = textOf(answer.token_type)?.toLowerCase();
  const typeOddity =
    type === undefined ? '`token_type` is absent' : type === 'bearer' ? undefined : '`token_type` is not Bearer';
  const oddities = [life.oddity, typeOddity].filter((oddity) => oddity !== undefined);
  return { accessToken, refreshToken, lifeMs: life.ms, oddities };
}

/** Codes that say that the token was not looked at: what is wrong is the client, the request or the scope. */
const unused = 'invalid_request invalid_client unauthorized_client unsupported_grant_type invalid_scope'.split(' ');

/** Error codes of RFC 6749 (5.2), RFC 6750 (3.1), RFC 7009 and RFC 8628. */
const registered: ReadonlySet<unknown> = new Set([
  ...unused,
  'invalid_grant',
  'invalid_token',
  'insufficient_scope',
  'access_denied',
  'server_error',
  'temporarily_unavailable',
  'slow_down',
]);

/** Returns whether a message may name the code of an answer. Any other text may quote what was sent. */
export function isRegisteredError(code: unknown): code is string {
  return registered.has(code);
}

/** What the error of a token endpoint says, whatever the status of its answer (RFC 6749, 5.2). */
export type TokenError = { readonly dead: DeadToken } | { readonly code: string; readonly isUnused: boolean };

/** Reads the error of a token endpoint. Undefined: the answer names none. Never throws. */
export function readTokenError(value: unknown): TokenError | undefined {
  if (!isRecord(value)) return undefined;
  const nested = isRecord(value.error) ? value.error : {};
  const names = [value.error, nested.code, nested.type, value.error_code, value.errorCode, value.code, value.title];
  const codes = names.flatMap((name) => codeOf(name) ?? []);
  const code = codes.find(isDeadCode) ?? codes[0];
  if (code === undefined) return undefined;
  if (!isDeadCode(code)) return { code, isUnused: unused.includes(code) };
  const texts = [code, value.error_description, value.detail, value.message, nested.message, nested.description];
  const isReuse = texts.some((text) => typeof text === 'string' && saysReuse.test(text));
  return { dead: { code, isReuse } };
}

/** Returns a code in the form of RFC 6749: `RefreshTokenExpired` as `refresh_token_expired`. Undefined: it is no code. */
function codeOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > 60) return undefined;
  const code = value
    .trim()
    .replace(/([a-z])(?=[A-Z])/g, '$1_')
    .replace(/[\s.-]+/g, '_')
    .toLowerCase();
  return /^[a-z]+(_[a-z]+)*$/.test(code) ? code : undefined;
}

/** `invalid_grant`, and what issuers write for it: a refresh token or a grant, and that it is no longer good. */
function isDeadCode(code: string): boolean {
  if (/client|application|type|unsupported|access/.test(code)) return false;
  return /refresh|grant/.test(code) && /invalid|bad|expired|revoked|used|reuse|unknown|not_found|inactive/.test(code);
}

/** `expired or already used` names no cause. */
const saysReuse =
  /^(?!.*\bor\b).*(\bre-?_?used\b|reuse|replay|rotated|(is|was|been|already)[ _](used|redeemed|consumed|exchanged))/i;

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Reads `expires_in`, which an answer may leave out (RFC 6749, 5.1). The oddity is a clause without its value. */
function readTokenLife(
  value: unknown,
  unitMs: number,
): { readonly ms: number | undefined; readonly oddity: string | undefined } {
  const odd = (what: string) => ({ ms: undefined, oddity: `\`expires_in\` ${what}` });
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
