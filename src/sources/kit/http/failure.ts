import type { RootCause } from '../../../core/run/errors.ts';
import { formatMinute } from '../../../core/run/formats.ts';
import { given } from '../../../core/run/given.ts';
import { type Expected, ForeignAnswer, webPageIn } from '../../../drivers/http/foreign-answer.ts';
import { AnswerInvalid } from '../../../drivers/http/json-text.ts';
import type { Method, OperationBody } from '../../../drivers/http/message.ts';
import { describeNetworkFailure } from '../../../drivers/http/network-failure.ts';
import type { Answer } from '../../../drivers/http/transport.ts';
import { maxRetryAfterMs, readRetryAfter, untilInstant } from '../../../drivers/http/wait-headers.ts';
import type { Credential } from './authority.ts';

/** One request to an HR system. Every request only reads, so every request may be repeated. */
export interface SourceRequest {
  /** Name in messages, without ids and cursors: `GET /v1/people`. */
  readonly name: string;
  readonly url: string;
  readonly method?: Method;
  /** Sent in addition to the credential. Names are in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Extract<OperationBody, { kind: 'json' | 'text' }>;
  /**
   * Requests the page after another one. 400, 404 and 410 then mean that the cursor expired, and the read starts
   * again.
   */
  readonly isContinuation?: boolean;
  /** The setting that lists statuses which end the list. A continuation may be answered so behind its last page. */
  readonly endSetting?: string;
  /** What the body of an answer to `send` has to be. Absent: the caller judges it. */
  readonly expects?: Expected;
  /** Statuses besides 200 that are valid answers: 204, 404. */
  readonly answers?: readonly number[];
  /**
   * Reads the body of an error whose status alone would be retried or would explain too little. Returns the message
   * for the operator, without values, or undefined to use the status. A returned error is final.
   */
  readonly refusal?: (status: number, bytes: Uint8Array) => Refusal | undefined;
  /** Another meaning of a 401 that a new token does not fix, where the vendor also uses it for a missing permission. */
  readonly unauthorised?: string;
}

/** Why an HR system will refuse the same request again, in its own terms. */
export interface Refusal {
  readonly what: string;
  readonly advice: string;
  /** The credentials are invalid or lack a permission. Repeated requests may lock the account. */
  readonly isRefusal?: boolean;
}

/** Why one attempt failed, and what may help. Its texts hold no header, cursor or body. */
export interface RequestFailure {
  /** What to retry: the same `request`, the whole `read`, or `never`, because only an operator can help. */
  readonly retry: 'request' | 'read' | 'never';
  readonly what: string;
  readonly advice: string;
  /** Wait in ms that the server asks for. */
  readonly afterMs?: number;
  /** After a 401: the credential that was refused. */
  readonly refused?: Credential;
  /** The credentials are invalid or lack a permission. Repeated requests may lock the account. */
  readonly isRefusal?: boolean;
  /** Only this request fails like this: `surely`, or `perhaps`. Absent: every request to the host does. */
  readonly isOwn?: 'surely' | 'perhaps';
  /** What is wrong, where no status says it: see `RootCause`. */
  readonly title?: string;
  /** The status of the answer, if there was one. */
  readonly status?: number;
  /** The cause that an error of the authority names. */
  readonly rootCause?: RootCause;
  /** The body of the answer, for sealed storage only. */
  readonly raw?: string;
}

/** Advice for a server that is too slow or too busy. */
export interface FailureAdvice {
  readonly busy: string;
  readonly slow: string;
  readonly trickling: string;
}

/** Advice where `limits` is a section of the configuration. */
export const limitsAdvice: FailureAdvice = {
  busy: 'The HR system is busy or failing. If this happens often, lower limits.requestsPerSecond.',
  slow: 'If the HR system is only slow, raise limits.timeout.',
  trickling: 'If the HR system is only slow, raise limits.deadline, or ask for less: fewer fields, or a smaller group.',
};

const forgotten = [400, 404, 410];
/** Statuses with which some systems answer a request for the page behind the last one. */
const endings = [204, 400, 404, 410, 416, 422];
const busy = [408, 425, 429, 500, 502, 503, 504, 598];

/** A wait from which on it is said when it ends. */
const longMs = 60_000;

/** What is known when a server answers with an error status. */
export interface StatusFacts {
  /** The credential that the request carried. */
  readonly credential: Credential;
  /** The start of the body. */
  readonly bytes: Uint8Array;
  /** Epoch ms. */
  readonly now: number;
  readonly adviceFor: FailureAdvice;
  /** Wait after a 429 that names no time. */
  readonly busyWaitMs: number | undefined;
}

export function judgeStatus(
  request: SourceRequest,
  answer: Answer,
  { credential, bytes, now, adviceFor, busyWaitMs }: StatusFacts,
): RequestFailure {
  const { status } = answer;
  const page = webPageIn(bytes);
  const what = `${request.name} was answered ${status} by ${hostOf(request)}${page === undefined ? '' : ` with ${page}`}`;
  const isEnd = request.endSetting !== undefined && endings.includes(status);
  const end = isEnd ? ` If this means that no page follows, set ${request.endSetting}: [${status}].` : '';
  if (status === 401) {
    const advice =
      'The credentials are not accepted: check them in the configuration, and that their account is not disabled. ' +
      'The request is not retried, because some HR systems lock accounts.';
    const more = request.unauthorised === undefined ? '' : ` ${request.unauthorised}`;
    return { retry: 'never', what, advice: `${advice}${more}`, refused: credential, isRefusal: true };
  }
  if (status === 403) {
    const advice = 'The credentials lack a permission: docs/sources/ lists the permissions that each kind needs.';
    return { retry: 'never', what, advice, isRefusal: true };
  }
  if (busy.includes(status)) {
    const afterMs = retryAfterMs(answer, now) ?? (status === 429 ? busyWaitMs : undefined);
    const until = (afterMs ?? 0) < longMs ? '' : `, and asks to wait until ${formatMinute(now + (afterMs ?? 0))}`;
    return {
      retry: 'request',
      what: `${what}${until}`,
      advice: adviceFor.busy,
      ...(afterMs === undefined ? {} : { afterMs }),
    };
  }
  if (request.isContinuation === true && forgotten.includes(status)) {
    const advice = 'The HR system no longer knows this page: all employees are read again from the beginning.';
    return { retry: 'read', what: `${what} in the middle of the pages`, advice: `${advice}${end}`, isOwn: 'surely' };
  }
  if (status >= 300 && status < 400) {
    const advice = 'Redirects are not followed, to protect the credentials: set the final address.';
    return { retry: 'never', what, advice, isOwn: 'perhaps' };
  }
  const advice = `Check the address and the request: the same request will be refused again.${end}`;
  return { retry: 'never', what, advice, isOwn: 'perhaps' };
}

/** Names the host that the operator must check. A typo in the address is visible here first. */
function hostOf({ url }: SourceRequest): string {
  return URL.canParse(url) ? new URL(url).host : 'no address';
}

/** `Retry-After` (RFC 9110, 10.2.3), else `X-RateLimit-Reset` as an epoch in seconds (HiBob). */
function retryAfterMs(answer: Answer, now: number): number | undefined {
  const waitMs = readRetryAfter(answer.header, now);
  if (waitMs !== undefined) return waitMs;
  const reset = answer.header('x-ratelimit-reset') ?? '';
  if (!/^\d{9,11}$/.test(reset)) return undefined;
  return Math.min(untilInstant(Number(reset), now) ?? 0, maxRetryAfterMs);
}

export interface BreakdownFacts {
  readonly hasTimedOut: boolean;
  readonly timeoutMs: number;
  readonly adviceFor: FailureAdvice;
}

/** Classifies an exchange that ended without a whole answer. */
export function judgeBreakdown(
  request: SourceRequest,
  error: unknown,
  { hasTimedOut, timeoutMs, adviceFor }: BreakdownFacts,
): RequestFailure {
  const { name } = request;
  const host = hostOf(request);
  if (hasTimedOut) {
    const what = `${name} was not completely answered by ${host} within ${timeoutMs} ms`;
    return { retry: 'request', what, advice: adviceFor.slow };
  }
  if (error instanceof AnswerInvalid) {
    const what = `${name} was answered by ${host}, but ${error.message}`;
    const isOver = error.isFinal || error instanceof ForeignAnswer;
    const title = `the HR system answers with ${error instanceof ForeignAnswer ? error.form : 'a damaged body'}`;
    const advice = 'Check that the address is the API itself.';
    return { retry: isOver ? 'read' : 'request', what, advice, isOwn: 'perhaps', title };
  }
  const { kind, text, title, proxy } = describeNetworkFailure(error);
  if (kind === 'invalid') {
    const what = `${name} cannot be sent to ${host}: ${text}`;
    return { retry: 'never', what, advice: 'Check the headers and secrets of the source.', isOwn: 'surely' };
  }
  const what = `${name} got no complete answer from ${host}: ${text}`;
  if (kind === 'tls') {
    const advice = "Check the server's certificate, `tls`, and the clock of this machine.";
    return { retry: 'never', what, advice, ...given({ title }) };
  }
  if (kind === 'too-large') return { retry: 'never', what, advice: 'Ask for smaller pages.', isOwn: 'surely' };
  const advice = 'Check the address and the network.';
  if (proxy === undefined) return { retry: 'request', what, advice };
  const rootCause = { topic: 'source', subject: `proxy ${proxy}`, ...given({ title }) } as const;
  return { retry: 'request', what, advice, rootCause };
}

/** Reports a long body that arrives too slowly to ever be complete. */
export function judgeTrickle({ name }: SourceRequest, longestMs: number, adviceFor: FailureAdvice): RequestFailure {
  const what = `${name} was still sending after ${longestMs} ms of waiting, so the read starts again from the beginning`;
  return { retry: 'read', what, advice: adviceFor.trickling };
}
