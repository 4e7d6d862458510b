import { PlatformError } from '../../core/errors.ts';
import type { Dialect } from '../../core/settings.ts';
import { AnswerInvalid } from '../../http/answer-invalid.ts';
import { openTransport } from '../../http/transport.ts';
import type { ExchangeOutcome } from '../../ports/tokens.ts';
import { nothing, parseBy } from '../answer.ts';
import { contractCall, jsonBody } from '../contract-call.ts';
import { exchangeOnce } from '../exchange.ts';
import type { AnswerReader, Operation } from '../operation.ts';
import { TokenPair } from '../schema/tokens.ts';
import type { RevokeOutcome } from '../tokens/revoke-call.ts';

/** Endpoint of token calls. They have their own sockets: a full pool must never delay a refresh. */
export interface TokenEndpoint {
  readonly baseUrl: string;
  /** After this time without a complete answer the outcome is unknown. */
  readonly timeoutMs: number;
  readonly now: () => number;
}

export interface RefreshCall extends TokenEndpoint {
  readonly applicationToken: string;
  readonly refreshToken: string;
  readonly expiresIn: Dialect['expiresIn'];
}

/**
 * Presents a refresh token once (contract, "POST /os-api/public-api/v1/token"; RFC 6749, 6). Never retries, and never
 * throws for a failure of platform or network. The outcome tells whether the token may have been consumed.
 */
export async function exchangeRefreshToken(call: RefreshCall, signal: AbortSignal): Promise<ExchangeOutcome> {
  const answer: AnswerReader<ExchangeOutcome> = {
    expects: 'json',
    read: ({ value }) => readPair(parseBy(TokenPair, value), call.expiresIn),
  };
  const body = jsonBody({ grant_type: 'refresh_token', refresh_token: call.refreshToken });
  const operation = contractCall('token', { body, answer });
  const sent = await sendOnce(call, operation, call.applicationToken, signal);
  if (sent.ok) return sent.value;
  const { error } = sent;
  if (error.status === 400 && error.title === 'invalid_grant') {
    return { kind: 'invalid-grant', description: 'the token is expired, revoked or already used' };
  }
  // A 400 without a reason may also mean that the token was consumed.
  const isUnreadable = error.status === 400 && error.title === undefined;
  const retryAfter = typeof error.retry === 'object' ? error.retry : {};
  return {
    kind: error.effect === 'none' && !isUnreadable ? 'not-sent' : 'unknown',
    reason: error.message,
    ...retryAfter,
  };
}

function readPair(pair: TokenPair, unit: Dialect['expiresIn']): ExchangeOutcome {
  if (pair.token_type.toLowerCase() !== 'bearer') throw new AnswerInvalid('`token_type` is not Bearer');
  if (!Number.isFinite(pair.expires_in) || pair.expires_in <= 0) throw new AnswerInvalid('`expires_in` is no duration');
  return {
    kind: 'granted',
    accessToken: pair.access_token,
    refreshToken: pair.refresh_token,
    expiresInMs: unit === 'seconds' ? pair.expires_in * 1000 : pair.expires_in,
  };
}

export interface RevokeCallOptions extends TokenEndpoint {
  /** The token to invalidate. */
  readonly accessToken: string;
}

/** Revokes an access token (contract, "POST /os-api/public-api/v1/token/revoke"). Sends once and never throws. */
export async function revokeToken(call: RevokeCallOptions, signal: AbortSignal): Promise<RevokeOutcome> {
  const operation = contractCall('revoke', { answer: nothing });
  const sent = await sendOnce(call, operation, call.accessToken, signal);
  if (sent.ok) return { kind: 'revoked' };
  return { kind: sent.error.effect === 'none' ? 'refused' : 'unknown', reason: sent.error.message };
}

type Sent<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: PlatformError };

async function sendOnce<T>(
  { baseUrl, timeoutMs, now }: TokenEndpoint,
  operation: Operation<T>,
  secret: string,
  signal: AbortSignal,
): Promise<Sent<T>> {
  const transport = openTransport({ concurrency: 1, timeoutMs });
  try {
    const base = { transport, baseUrl, timeoutMs, acceptLanguage: 'en', now };
    return { ok: true, value: await exchangeOnce(base, operation, { secret, signal }) };
  } catch (error) {
    if (error instanceof PlatformError) return { ok: false, error };
    throw error;
  } finally {
    await transport.close();
  }
}
