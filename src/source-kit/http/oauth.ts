import { z } from 'zod';
import { AnswerInvalid } from '../../http/answer-invalid.ts';
import { startDeadline } from '../../http/deadline.ts';
import { exactValue, isRecord, readJson } from '../../http/json-text.ts';
import type { OperationBody } from '../../http/message.ts';
import { describeNetworkFailure } from '../../http/network-failure.ts';
import { readRetryAfter } from '../../http/retry-after.ts';
import { type Answer, openTransport, readBytes, type TlsOptions } from '../../http/transport.ts';
import type { ExchangeOutcome, RetryAfter } from '../../ports/tokens.ts';

/** A client of an OAuth 2.0 token endpoint (RFC 6749, 3.2). */
export interface OAuthClient {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret?: string;
  readonly clientAuth: 'basic' | 'body';
  /** More fields of every form: `scope`, `audience`. */
  readonly form: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Some endpoints want our certificate (ADP), or have one of a private authority. */
  readonly tls?: TlsOptions | undefined;
}

/** What the token endpoint said. Holds tokens: never log it. */
export type TokenAnswer =
  | { readonly kind: 'granted'; readonly accessToken: string; readonly refreshToken?: string; readonly lifeMs: number }
  /** A 4xx: `error` is the endpoint's own word (`invalid_grant`). */
  | { readonly kind: 'refused'; readonly status: number; readonly error: string }
  | ({ readonly kind: 'not-sent' | 'lost'; readonly reason: string } & RetryAfter);

/** Without `expires_in` a token is taken to live this long; a 401 renews it anyway. */
const assumedLifeMs = 300_000;

const Granted = z.looseObject({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1).optional(),
  // Some say null, 0 or "never": no reason to refuse a token.
  expires_in: z.coerce.number().positive().optional().catch(undefined),
});

/** Posts one form to the token endpoint, once. Never throws but for the signal. */
export async function requestToken(
  client: OAuthClient,
  grant: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<TokenAnswer> {
  const { tokenUrl, clientId, clientSecret, clientAuth, timeoutMs, tls } = client;
  const form = new URLSearchParams({ ...grant, ...client.form });
  const headers: Record<string, string> = {
    'content-type': 'application/x-www-form-urlencoded',
    accept: 'application/json',
  };
  if (clientAuth === 'basic') {
    // RFC 6749, 2.3.1: both are form-encoded before they are joined.
    const pair = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret ?? '')}`;
    headers.authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
  } else {
    form.set('client_id', clientId);
    if (clientSecret !== undefined) form.set('client_secret', clientSecret);
  }
  const body = { kind: 'text', text: form.toString() } as const;
  return postForToken({ tokenUrl, headers, body, timeoutMs, tls }, readTokenAnswer, signal);
}

/** A call that brings a token, whatever its form. */
export interface TokenCall extends Pick<OAuthClient, 'tokenUrl' | 'timeoutMs' | 'tls'> {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Extract<OperationBody, { kind: 'json' | 'text' }>;
}

/** Posts once, and has the answer read. Never throws but for the signal. */
export async function postForToken(
  { tokenUrl, headers, body, timeoutMs, tls }: TokenCall,
  read: (status: number, bytes: Uint8Array) => TokenAnswer,
  signal: AbortSignal,
): Promise<TokenAnswer> {
  signal.throwIfAborted();
  const transport = openTransport({ concurrency: 1, timeoutMs }, tls);
  const deadline = startDeadline(signal, timeoutMs);
  try {
    const answer = await transport.send({ method: 'POST', url: tokenUrl, headers, body }, deadline);
    const said = read(answer.status, await readBytes(answer, 64 * 1024));
    return said.kind === 'not-sent' ? { ...said, ...retryAfterOf(answer) } : said;
  } catch (error) {
    signal.throwIfAborted();
    if (deadline.hasPassed()) return { kind: 'lost', reason: `no answer within ${timeoutMs} ms` };
    if (error instanceof AnswerInvalid) return { kind: 'lost', reason: error.message };
    const { isBeforeSending, text } = describeNetworkFailure(error);
    return { kind: isBeforeSending ? 'not-sent' : 'lost', reason: text };
  } finally {
    deadline.dispose();
    await transport.close();
  }
}

/** A date is compared with the answer's own, so that it does not matter what our clock says. */
function retryAfterOf(answer: Answer): RetryAfter {
  const afterMs = readRetryAfter(answer.header('retry-after'), Date.parse(answer.header('date') ?? ''));
  return afterMs === undefined || Number.isNaN(afterMs) ? {} : { afterMs };
}

function readTokenAnswer(status: number, bytes: Uint8Array): TokenAnswer {
  const failure = tokenFailureOf(status, bytes);
  if (failure !== undefined) return failure;
  const parsed = Granted.safeParse(exactValue(readJson(bytes)));
  if (status >= 300 || !parsed.success) return { kind: 'lost', reason: `its answer (${status}) holds no access token` };
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: seconds } = parsed.data;
  const lifeMs = seconds === undefined ? assumedLifeMs : seconds * 1000;
  return { kind: 'granted', accessToken, lifeMs, ...(refreshToken === undefined ? {} : { refreshToken }) };
}

/** What a status of a token endpoint says, if it is no success. */
export function tokenFailureOf(status: number, bytes: Uint8Array): TokenAnswer | undefined {
  if (status === 408 || status === 429 || status === 503) return { kind: 'not-sent', reason: `it is busy (${status})` };
  if (status >= 500) return { kind: 'lost', reason: `it failed (${status})` };
  if (status >= 400) return { kind: 'refused', status, error: errorWord(bytes) };
  return undefined;
}

/** The registered word alone (RFC 6749, 5.2): descriptions may quote what was sent. */
function errorWord(bytes: Uint8Array): string {
  try {
    const { value } = readJson(bytes);
    if (isRecord(value) && typeof value.error === 'string' && /^[\w.-]{1,60}$/.test(value.error)) return value.error;
  } catch {
    // The status alone says enough.
  }
  return 'no reason given';
}

/** Presents a refresh token, once (RFC 6749, 6). A server that sends no new one keeps the old one valid. */
export async function presentRefreshToken(
  client: OAuthClient,
  refreshToken: string,
  signal: AbortSignal,
): Promise<ExchangeOutcome> {
  if (signal.aborted) return { kind: 'not-sent', reason: 'the call was given up' };
  const grant = { grant_type: 'refresh_token', refresh_token: refreshToken };
  const answer = await requestToken(client, grant, signal).catch(() => undefined);
  if (answer === undefined) return { kind: 'unknown', reason: 'the call was given up' };
  switch (answer.kind) {
    case 'granted': {
      const { accessToken, lifeMs: expiresInMs } = answer;
      return { kind: 'granted', accessToken, refreshToken: answer.refreshToken ?? refreshToken, expiresInMs };
    }
    case 'refused':
      if (answer.error === 'invalid_grant') return { kind: 'invalid-grant', description: answer.error };
      return { kind: 'not-sent', reason: `the token endpoint answered ${answer.status}: ${answer.error}` };
    case 'not-sent':
      return { ...answer, kind: 'not-sent', reason: `the token endpoint could not be asked: ${answer.reason}` };
    case 'lost':
      return { kind: 'unknown', reason: answer.reason };
  }
}
