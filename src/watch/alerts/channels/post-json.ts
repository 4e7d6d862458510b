import { createHmac } from 'node:crypto';
import { request } from 'undici';
import { given } from '../../../core/run/given.ts';
import { openDispatchers } from '../../../drivers/http/dispatcher.ts';
import { webPageIn } from '../../../drivers/http/foreign-answer.ts';
import { type AlertNotice, type Channel, type ChannelSettings, threadOf } from '../../../ports/alerts.ts';
import type { Clock, Egress } from '../../../ports/runtime.ts';
import { linksOf, type Place, renderNotice, titleOf } from '../render-notice.ts';

/** The settings of one kind of channel. */
export type SettingsOf<Kind extends ChannelSettings['kind']> = Extract<ChannelSettings, { kind: Kind }>;

/** What a channel uses besides its settings. */
export interface ChannelIo {
  readonly clock: Clock;
  /** The proxies of the environment. Undefined: none. */
  readonly egress: Egress | undefined;
  readonly place: Place;
}

/** A message to a receiver. Its body is JSON. */
export interface Message {
  readonly url: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Opens a channel for which every notice is some messages, in order. */
export function openPosts(
  settings: ChannelSettings,
  { egress }: Pick<ChannelIo, 'egress'>,
  messagesOf: (notice: AlertNotice) => readonly Message[],
): Channel {
  return {
    settings,
    async send(notice, signal) {
      for (const message of messagesOf(notice)) await postJson(settings, { ...message, signal, egress });
      return undefined;
    },
  };
}

export interface Post extends Message {
  readonly signal: AbortSignal;
  /** The proxies of the environment. Undefined: none. */
  readonly egress: Egress | undefined;
}

/** An answer with a 2xx. `text`: its first 64 KB; `json`: the members of a JSON object. */
interface Answer {
  readonly status: number;
  readonly text: string;
  readonly json: Readonly<Record<string, unknown>>;
}

/** What an answer says of the notice. `unknown`: not what this receiver answers when it took one. */
type Verdict = 'taken' | 'refused' | 'unknown';

const takenIf = (isTaken: boolean): Verdict => (isTaken ? 'taken' : 'unknown');

/**
 * What each receiver answers when it took a message. Slack: `ok`, or `{"ok": true}` of the Web API
 * (https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks). PagerDuty: Events API v2. Opsgenie: a
 * request that was accepted has an id. Teams: a workflow answers 202; the connectors that answered 200 are retired. Alertmanager:
 * 200 without a body (API v2), or JSON.
 */
const goodAnswers: Readonly<Record<Exclude<ChannelSettings['kind'], 'email'>, (answer: Answer) => Verdict>> = {
  webhook: () => 'taken',
  slack: ({ text, json }) => (json.ok === false ? 'refused' : takenIf(text.trim() === 'ok' || json.ok === true)),
  teams: ({ status }) => takenIf(status === 202),
  pagerduty: ({ json }) => takenIf(json.status === 'success' && typeof json.dedup_key === 'string'),
  opsgenie: ({ json }) => takenIf(typeof json.requestId === 'string'),
  alertmanager: ({ text, json }) => (json.status === 'error' ? 'refused' : takenIf(/^\s*([[{]|$)/.test(text))),
};

/** A receiver answered 2xx, and it is not known whether it took the notice. */
export class UnconfirmedError extends Error {
  override readonly name = 'UnconfirmedError';
}

/** More of an answer is not read. */
const maxAnswerBytes = 64 * 1024;

/**
 * Posts JSON once over a new connection and requires the answer that this kind of receiver gives when it took the message,
 * or any 2xx with `accept: any`. Does not follow redirects, so that the notice goes only to the configured address. Errors
 * name only the host, because the rest of the address is often the secret. Resolves to the members of a JSON answer; rejects
 * with `UnconfirmedError` for a 2xx that this receiver does not give.
 */
export async function postJson(
  { kind, accept }: ChannelSettings,
  { url, body, headers, signal, egress }: Post,
): Promise<Answer['json']> {
  const options = { connections: 1, connectTimeout: 10_000, headersTimeout: 15_000, bodyTimeout: 15_000 };
  const dispatchers = openDispatchers(options, egress);
  const { dispatcher, proxy } = dispatchers.to(url);
  const through = proxy === undefined ? '' : ` through the proxy ${proxy}`;
  const { host } = new URL(url);
  try {
    const answer = await request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
      body,
      signal,
      dispatcher,
    }).catch((error: unknown) =>
      Promise.reject(new Error(`${host} cannot be reached${through}: ${codeOf(error, signal)}`)),
    );
    const { statusCode } = answer;
    const text = await shortText(answer.body);
    const page = accept === 'any' ? undefined : webPageIn(text);
    const answered = `${host} answered ${statusCode}${through}${page === undefined ? '' : ` with ${page}`}`;
    if (statusCode < 200 || statusCode >= 300) throw new Error(`${answered}${hintFor(statusCode)}`);
    const json = parsed(text);
    if (accept === 'any' || kind === 'email') return json;
    if (page !== undefined) throw new Error(`${answered}: the notice did not arrive; check the url`);
    const verdict = goodAnswers[kind]({ status: statusCode, text, json });
    if (verdict === 'taken') return json;
    if (verdict === 'refused') throw refused(url, json.error);
    throw new UnconfirmedError(
      `${answered}, but not as ${kind} does when it took a message; if it did arrive, set accept: any on this channel`,
    );
  } finally {
    await dispatchers.destroy();
  }
}

/** Makes the error of a receiver that answers 200 and refuses the notice. Quotes only a code that an operator can act on. */
function refused(url: string, code: unknown): Error {
  return new Error(`${new URL(url).host} refused the notice: ${knownErrors.find((one) => one === code) ?? 'an error'}`);
}

/** Codes of Slack: https://docs.slack.dev/reference/methods/chat.postMessage */
const knownErrors = [
  'channel_not_found',
  'not_in_channel',
  'is_archived',
  'invalid_auth',
  'not_authed',
  'account_inactive',
  'token_revoked',
  'token_expired',
  'missing_scope',
  'ratelimited',
  'restricted_action',
] as const;

/** Returns the first `length` UTF-16 units of a text, and one less where they would end within a character. */
export function cut(text: string, length: number): string {
  const start = text.slice(0, length);
  return start.isWellFormed() ? start : start.slice(0, -1);
}

async function shortText(body: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of body) {
      parts.push(part);
      bytes += part.length;
      if (bytes > maxAnswerBytes) break;
    }
  } catch {
    // What came of it decides.
  }
  return Buffer.concat(parts).toString('utf8');
}

function parsed(text: string): Answer['json'] {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function hintFor(status: number): string {
  if (status >= 300 && status < 400) return ': it redirects, and redirects are not followed; check the url';
  if (status === 401 || status === 403) return ': check the url and the secret in it';
  if (status === 404 || status === 410) return ': the address no longer exists; create a new one and configure it';
  if (status === 429) return ': too many messages; Rollcall retries later';
  return status >= 500 ? '' : ': it rejects the message; check the kind of the channel';
}

function codeOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'timeout';
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'no connection';
}

/**
 * Posts the notice as JSON. With a secret, `x-rollcall-signature: t=<unix seconds>,v1=<hex>` signs it: HMAC-SHA256 with
 * the secret over `<t>.<body>`. A receiver compares it in constant time and rejects an old `t`. `x-rollcall-notice` is
 * the id of the notice, the same in every attempt.
 */
export function openWebhook(settings: SettingsOf<'webhook'>, io: ChannelIo): Channel {
  return openPosts(settings, io, (notice) => {
    const body = JSON.stringify(webhookBody(notice, io.place));
    const seconds = Math.floor(io.clock.now() / 1000);
    const secret = settings.secret?.reveal();
    const signature = secret === undefined ? undefined : `t=${seconds},v1=${sign(secret, seconds, body)}`;
    const headers = { 'x-rollcall-notice': notice.id, ...given({ 'x-rollcall-signature': signature }) };
    return [{ url: settings.url.reveal(), body, headers }];
  });
}

/** Returns HMAC-SHA256 (hex) over `<seconds>.<body>`. */
function sign(secret: string, seconds: number, body: string): string {
  return createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
}

/** Version 1 of the body. Later versions only add keys. */
function webhookBody(notice: AlertNotice, place: Place): object {
  const { id, kind, subject, severity, at, problems, recovered, standing } = notice;
  const { title, lines } = renderNotice(notice, place);
  return {
    version: 1,
    id,
    kind,
    severity,
    subject,
    deployment: place.deployment,
    thread: threadOf(notice) ?? null,
    links: linksOf(notice, place),
    at: new Date(at).toISOString(),
    title,
    text: lines.join('\n'),
    problems: problems.map((problem) => {
      const { topic, code, severity, summary, details, unaffected, action, run, figures = [] } = problem;
      const words = { title: titleOf(problem), figures: figures.map(([name, value]) => ({ name, value })) };
      const shown = { topic, code, severity, ...words, summary, details, unaffected: unaffected ?? null, action };
      return { ...shown, run: run ?? null };
    }),
    recovered: recovered.map(({ topic, code, severity, summary, since }) => {
      return { topic, code, severity, summary, since: new Date(since).toISOString() };
    }),
    standing: standing.map(({ topic }) => topic),
  };
}
