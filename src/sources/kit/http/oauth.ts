import { hostOf } from '../../../core/run/addresses.ts';
import { RollcallError } from '../../../core/run/errors.ts';
import { startDeadline } from '../../../drivers/http/deadline.ts';
import { refuseForeign, webPageIn } from '../../../drivers/http/foreign-answer.ts';
import { headerTextProblem } from '../../../drivers/http/header-text.ts';
import { AnswerInvalid, exactValue, isRecord, readJson } from '../../../drivers/http/json-text.ts';
import type { OperationBody } from '../../../drivers/http/message.ts';
import { describeNetworkFailure } from '../../../drivers/http/network-failure.ts';
import {
  assumedLifeMs,
  type GrantedTokens,
  isRegisteredError,
  readGrantedTokens,
  readTokenError,
} from '../../../drivers/http/token-answer.ts';
import { type Answer, openTransport, readBytes, type TlsOptions } from '../../../drivers/http/transport.ts';
import { readRetryAfter } from '../../../drivers/http/wait-headers.ts';
import type { Clock, Egress } from '../../../ports/runtime.ts';
import type { AccessToken, AccessTokens, DeadToken, ExchangeOutcome, OddAnswer } from '../../../ports/tokens.ts';

/** A client of an OAuth 2.0 token endpoint (RFC 6749, 3.2). */
export interface OAuthClient {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret?: string;
  readonly clientAuth: 'basic' | 'body';
  /** Additional form fields: `scope`, `audience`. */
  readonly form: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** TLS settings, where the endpoint requires a client certificate (ADP) or has a private authority. */
  readonly tls?: TlsOptions | undefined;
  readonly egress?: Egress | undefined;
}

/** Answer of the token endpoint. Holds tokens: never log it. */
export type TokenAnswer =
  | ({ readonly kind: 'granted' } & GrantedTokens)
  /** The endpoint's error code counts with any status; without one, a 4xx. `dead`: the refresh token is no longer good. */
  | { readonly kind: 'refused'; readonly status: number; readonly error: string; readonly dead?: DeadToken }
  | ({ readonly kind: 'not-sent' | 'lost'; readonly reason: string } & OddAnswer);

/** A pair is far smaller; what else an answer holds is not kept. */
const maxAnswerBytes = 1024 * 1024;

/** Posts one form to the token endpoint, once. Throws only the signal's reason. */
export async function requestToken(
  client: OAuthClient,
  grant: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<TokenAnswer> {
  const { tokenUrl, clientId, clientSecret, clientAuth, timeoutMs, tls, egress } = client;
  const form = new URLSearchParams({ ...grant, ...client.form });
  const headers: Record<string, string> = {
    'content-type': 'application/x-www-form-urlencoded',
    accept: 'application/json',
  };
  if (clientAuth === 'basic') {
    // RFC 6749, 2.3.1: both parts are form-encoded before they are joined.
    const pair = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret ?? '')}`;
    headers.authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
  } else {
    form.set('client_id', clientId);
    if (clientSecret !== undefined) form.set('client_secret', clientSecret);
  }
  const body = { kind: 'text', text: form.toString() } as const;
  return postForToken({ tokenUrl, headers, body, timeoutMs, tls, egress }, readTokenAnswer, signal);
}

/** A call that returns a token, in any form. */
export interface TokenCall extends Pick<OAuthClient, 'tokenUrl' | 'timeoutMs' | 'tls' | 'egress'> {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Extract<OperationBody, { kind: 'json' | 'text' }>;
}

/** Posts once and reads the answer. Throws only the signal's reason. */
export async function postForToken(
  { tokenUrl, headers, body, timeoutMs, tls, egress }: TokenCall,
  read: (status: number, bytes: Uint8Array) => TokenAnswer,
  signal: AbortSignal,
): Promise<TokenAnswer> {
  signal.throwIfAborted();
  const transport = openTransport({ concurrency: 1, timeoutMs }, { tls, egress });
  const deadline = startDeadline(signal, timeoutMs);
  try {
    const answer = await transport.send({ method: 'POST', url: tokenUrl, headers, body }, deadline);
    const said = read(answer.status, await readBytes(answer, maxAnswerBytes));
    const isOdd = said.kind === 'not-sent' || said.kind === 'lost';
    return isOdd ? { ...said, ...retryAfterOf(answer), isAnswered: true } : said;
  } catch (error) {
    signal.throwIfAborted();
    if (deadline.hasPassed()) return { kind: 'lost', reason: `no answer within ${timeoutMs} ms` };
    if (error instanceof AnswerInvalid) return { kind: 'lost', reason: error.message, isAnswered: true };
    const { isBeforeSending, text } = describeNetworkFailure(error);
    return { kind: isBeforeSending ? 'not-sent' : 'lost', reason: text };
  } finally {
    deadline.dispose();
    await transport.close();
  }
}

/** Without a `Date` in the answer, an instant counts as passed: there is no clock to compare it with. */
function retryAfterOf(answer: Answer): OddAnswer {
  const afterMs = readRetryAfter(answer.header, Number.POSITIVE_INFINITY);
  return afterMs === undefined ? {} : { afterMs };
}

function readTokenAnswer(status: number, bytes: Uint8Array): TokenAnswer {
  const granted = readGrantedTokens(bodyOf(bytes), 1000);
  if (granted !== undefined) return { kind: 'granted', ...granted };
  const failure = tokenFailureOf(status, bytes);
  if (failure !== undefined) return failure;
  // Both throw what is wrong with it.
  refuseForeign(bytes, 'JSON');
  readJson(bytes);
  return { kind: 'lost', reason: `its answer (${status}) has no access token` };
}

function bodyOf(bytes: Uint8Array): unknown {
  try {
    return exactValue(readJson(bytes));
  } catch {
    return undefined;
  }
}

/** Classifies the status of a token endpoint. Returns undefined for a success. */
export function tokenFailureOf(status: number, bytes: Uint8Array): TokenAnswer | undefined {
  const value = bodyOf(bytes);
  const said = readTokenError(value);
  if (said !== undefined && 'dead' in said) return { kind: 'refused', status, error: said.dead.code, dead: said.dead };
  if (status < 300 && said?.isUnused) return { kind: 'refused', status, error: said.code };
  if (status === 408 || status === 429 || status === 503) return { kind: 'not-sent', reason: `it is busy (${status})` };
  if (status >= 500) return { kind: 'lost', reason: `it failed (${status})` };
  const code = isRecord(value) && isRegisteredError(value.error) ? value.error : webPageIn(bytes);
  if (status >= 400) return { kind: 'refused', status, error: code ?? 'no registered reason given' };
  return undefined;
}

/** Presents a refresh token once (RFC 6749, 6). If the server sends no new one, the old one stays valid. */
export async function presentRefreshToken(
  client: OAuthClient,
  refreshToken: string,
  signal: AbortSignal,
): Promise<ExchangeOutcome> {
  if (signal.aborted) return { kind: 'not-sent', reason: 'the call was cancelled' };
  const grant = { grant_type: 'refresh_token', refresh_token: refreshToken };
  const answer = await requestToken(client, grant, signal).catch(() => undefined);
  if (answer === undefined) return { kind: 'unknown', reason: 'the call was cancelled' };
  switch (answer.kind) {
    case 'granted': {
      // Stored whatever it is like, and judged afterwards: the presented token may be used up.
      const { accessToken, lifeMs: expiresInMs, oddities } = answer;
      return {
        kind: 'granted',
        accessToken,
        refreshToken: answer.refreshToken ?? refreshToken,
        expiresInMs,
        oddities,
      };
    }
    case 'refused':
      if (answer.dead !== undefined) return { kind: 'invalid-grant', ...answer.dead };
      return {
        kind: 'not-sent',
        reason: `the token endpoint answered ${answer.status}: ${answer.error}`,
        isAnswered: true,
      };
    case 'not-sent':
      return answer.isAnswered === true
        ? { ...answer, kind: 'not-sent' }
        : { ...answer, kind: 'not-sent', reason: `the token endpoint could not be reached: ${answer.reason}` };
    case 'lost':
      return { ...answer, kind: 'unknown' };
  }
}

/** A token is renewed after this share of its lifetime. */
const dueShare = 0.75;

/**
 * Opens tokens by client credentials (RFC 6749, 4.4). Nothing rotates and repeated requests are harmless, so each
 * process keeps its own token in memory. Concurrent callers share one request.
 */
export function openClientCredentials(client: OAuthClient): (clock: Clock) => AccessTokens {
  return openHeldTokens(client.tokenUrl, (signal) =>
    requestToken(client, { grant_type: 'client_credentials' }, signal),
  );
}

/** Keeps the tokens that `ask` returns in memory until they are due. `ask` may be called any number of times. */
export function openHeldTokens(
  where: string,
  ask: (signal: AbortSignal, clock: Clock) => Promise<TokenAnswer>,
): (clock: Clock) => AccessTokens {
  let held: { readonly token: AccessToken; readonly dueAt: number } | undefined;
  let flight: Promise<AccessToken> | undefined;
  let generation = 0;
  const fetchToken = async (clock: Clock, signal: AbortSignal): Promise<AccessToken> => {
    const answer = await ask(signal, clock);
    if (answer.kind !== 'granted') throw tokenTrouble(where, answer);
    const { accessToken: secret, lifeMs = assumedLifeMs } = answer;
    if (secret === undefined || headerTextProblem(secret) !== undefined) throw tokenTrouble(where, noAccess);
    generation += 1;
    held = { token: { secret, generation }, dueAt: clock.now() + lifeMs * dueShare };
    return held.token;
  };
  const obtain = (clock: Clock, signal: AbortSignal): Promise<AccessToken> => {
    flight ??= fetchToken(clock, signal).finally(() => {
      flight = undefined;
    });
    return flight;
  };
  return (clock) => ({
    current: async (signal) =>
      held !== undefined && clock.now() < held.dueAt ? held.token : await obtain(clock, signal),
    async renew(refused, signal) {
      if (held?.token.generation === refused) held = undefined;
      return held?.token ?? (await obtain(clock, signal));
    },
    accepted: () => {},
  });
}

const noAccess = { kind: 'lost', reason: 'its answer has no usable access token' } as const;

function tokenTrouble(where: string, answer: Exclude<TokenAnswer, { kind: 'granted' }>): RollcallError {
  const endpoint = `the token endpoint ${where}`;
  const subject = hostOf(where);
  if (answer.kind === 'refused') {
    const advice = 'Check client id, secret and scope in the configuration, and that the client is not disabled.';
    const message = `${endpoint} answered ${answer.status} (${answer.error}). ${advice}`;
    const rootCause = { topic: 'credential', subject, status: answer.status } as const;
    return new RollcallError(message, { code: 'SOURCE_REFUSED', retry: 'never', rootCause });
  }
  const { reason, afterMs } = answer;
  const message = `${endpoint} returned no token: ${reason}. If this continues, check its address and the network.`;
  const retry = afterMs === undefined ? 'backoff' : { afterMs };
  return new RollcallError(message, { code: 'SOURCE_UNAVAILABLE', retry, rootCause: { topic: 'source', subject } });
}
