import { PlatformError } from '../../core/run/errors.ts';
import { given } from '../../core/run/given.ts';
import type { Dialect } from '../../core/run/settings.ts';
import { AnswerInvalid } from '../../drivers/http/json-text.ts';
import { readGrantedTokens, readTokenError } from '../../drivers/http/token-answer.ts';
import { openTransport, type TransportOptions } from '../../drivers/http/transport.ts';
import type { RequestSeen } from '../../ports/metrics.ts';
import type { ExchangeOutcome } from '../../ports/tokens.ts';
import { contractCall, jsonBody } from '../client/calls.ts';
import { unaborted } from '../client/defaults.ts';
import { exchangeOnce } from '../client/exchange.ts';
import { type AnswerReader, nothing, type Operation } from '../client/operation.ts';
import type { RevokeOutcome } from './revoke.ts';

/** Endpoint of token calls. They have their own sockets: a full pool must never delay a refresh. */
export interface TokenEndpoint {
  readonly baseUrl: string;
  /** Proxy and certificate authorities. Absent: no proxy, and the public authorities. */
  readonly way?: Pick<TransportOptions, 'tls' | 'egress'>;
  /** After this time without a complete answer the outcome is unknown. */
  readonly timeoutMs: number;
  readonly now: () => number;
  /** Receives the exchange after its end. */
  readonly onRequest?: (request: Omit<RequestSeen, 'connection'>) => void;
}

/** A pair is far smaller; what else an answer holds is not kept. */
const maxAnswerBytes = 1024 * 1024;

export interface RefreshCall extends TokenEndpoint {
  readonly applicationToken: string;
  readonly refreshToken: string;
  readonly expiresIn: Dialect['expiresIn'];
}

/**
 * Presents a refresh token once (contract, "POST /os-api/public-api/v1/token"; RFC 6749, 6). Never retries, and never
 * throws for a failure of platform or network. The outcome tells whether the token may have been consumed.
 */
export async function exchangeRefreshToken(call: RefreshCall, signal?: AbortSignal): Promise<ExchangeOutcome> {
  const answer: AnswerReader<ExchangeOutcome> = {
    expects: 'json',
    read({ value }, { status }) {
      const outcome = readOutcome(value, call, status);
      if (outcome === undefined) throw new AnswerInvalid('it contains neither `access_token` nor `refresh_token`');
      return outcome;
    },
  };
  const body = jsonBody({ grant_type: 'refresh_token', refresh_token: call.refreshToken });
  const readRefusal = (value: unknown, status: number) => readOutcome(value, call, status);
  const operation = { ...contractCall('token', { body, answer }), readRefusal };
  const sent = await sendOnce(call, operation, call.applicationToken, signal ?? unaborted());
  if (sent.ok) return sent.value;
  const { error } = sent;
  // A 400 without a reason may also mean that the token was consumed.
  const isUnreadable = error.status === 400 && error.title === undefined;
  const retryAfter = typeof error.retry === 'object' ? error.retry : {};
  return {
    kind: error.effect === 'none' && !isUnreadable ? 'not-sent' : 'unknown',
    reason: reasonOf(error),
    isAnswered: error.status !== undefined,
    ...retryAfter,
  };
}

/** Returns what happened without a word of the platform's, except a registered error code (RFC 6749, 5.2). */
function reasonOf({ status, title, message }: PlatformError): string {
  // The rest of a message is advice about writes in general.
  if (title === undefined) return message.split(/\.\s/, 1)[0] ?? '';
  // A title is a registered code or the name of a status. Only a code has an underscore.
  return `it answered ${status}${title.includes('_') ? ` (${title})` : ''}`;
}

/**
 * Reads what a body says, whatever the status: a pair is a pair, and an error code counts (RFC 6749, 5.2). Undefined: its
 * status decides.
 */
function readOutcome(value: unknown, call: RefreshCall, status: number): ExchangeOutcome | undefined {
  const granted = readGrantedTokens(value, call.expiresIn === 'seconds' ? 1000 : 1);
  if (granted === undefined) {
    const said = readTokenError(value);
    if (said === undefined) return undefined;
    if ('dead' in said) return { kind: 'invalid-grant', ...said.dead };
    if (status >= 300) return undefined;
    const reason = `it answered ${status} (${said.code})`;
    return { kind: said.isUnused ? 'not-sent' : 'unknown', reason, isAnswered: true };
  }
  const { accessToken, refreshToken, lifeMs: expiresInMs } = granted;
  const oddities = [
    ...granted.oddities,
    ...(refreshToken === undefined ? ['it has no `refresh_token`, so the old one is kept'] : []),
  ];
  return { kind: 'granted', accessToken, refreshToken: refreshToken ?? call.refreshToken, expiresInMs, oddities };
}

export interface RevokeCallOptions extends TokenEndpoint {
  /** The token to invalidate. */
  readonly accessToken: string;
}

/** Revokes an access token (contract, "POST /os-api/public-api/v1/token/revoke"). Sends once and never throws. */
export async function revokeToken(call: RevokeCallOptions, signal?: AbortSignal): Promise<RevokeOutcome> {
  const operation = contractCall('revoke', { answer: nothing });
  const sent = await sendOnce(call, operation, call.accessToken, signal ?? unaborted());
  if (sent.ok) return { kind: 'revoked' };
  return { kind: sent.error.effect === 'none' ? 'refused' : 'unknown', reason: sent.error.message };
}

type Sent<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: PlatformError };

async function sendOnce<T>(
  { baseUrl, timeoutMs, now, way, onRequest }: TokenEndpoint,
  operation: Operation<T>,
  secret: string,
  signal: AbortSignal,
): Promise<Sent<T>> {
  const transport = openTransport({ concurrency: 1, timeoutMs }, { ...way, maxBytes: maxAnswerBytes });
  try {
    const base = {
      transport,
      baseUrl,
      timeoutMs,
      acceptLanguage: 'en',
      refusedStatuses: [],
      now,
      ...given({ onRequest }),
    };
    return { ok: true, value: await exchangeOnce(base, operation, { secret, signal }) };
  } catch (error) {
    if (error instanceof PlatformError) return { ok: false, error };
    throw error;
  } finally {
    await transport.close();
  }
}
