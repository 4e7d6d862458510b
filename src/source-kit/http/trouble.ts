import { AnswerInvalid } from '../../http/answer-invalid.ts';
import { describeNetworkFailure } from '../../http/network-failure.ts';
import { maxRetryAfterMs, readRetryAfter } from '../../http/retry-after.ts';
import type { Answer } from '../../http/transport.ts';
import type { Pass } from './authority.ts';
import type { SourceRequest } from './source-client.ts';

/** What went wrong with one try, and what may help. Holds no header, cursor or body. */
export interface Trouble {
  /** `here`: the same request again; `later`: the whole read again; `never`: only a person. */
  readonly heals: 'here' | 'later' | 'never';
  readonly what: string;
  readonly advice: string;
  /** How long the server asks to be left alone. */
  readonly afterMs?: number;
  /** A 401: the pass that was refused. */
  readonly refused?: Pass;
  /** Our credentials are not taken, or lack a right: whoever asks again and again may be locked out. */
  readonly isRefusal?: boolean;
}

/** What to do about a server that is too slow or too busy. */
export interface Advices {
  readonly busy: string;
  readonly slow: string;
  readonly trickling: string;
}

/** Where `limits` is a section of the configuration. */
export const limitsAdvices: Advices = {
  busy: 'The HR system is busy or ill. If it happens often, lower limits.requestsPerSecond.',
  slow: 'If the HR system is only slow, raise limits.timeout.',
  trickling: 'If the HR system is only slow, raise limits.patience, or ask for less: fewer fields, or a smaller group.',
};

const forgotten = [400, 404, 410];
const busy = [408, 425, 429, 500, 502, 503, 504, 598];

/** What a status that is no answer means. */
export function judgeStatus(
  request: SourceRequest,
  answer: Answer,
  pass: Pass,
  now: number,
  advices: Advices,
  busyWaitMs?: number,
): Trouble {
  const { status } = answer;
  const what = `${request.name} was answered ${status} by ${hostOf(request)}`;
  if (status === 401) {
    const advice =
      'The credentials are not accepted: check them in the configuration, and that their account is not disabled. ' +
      'Nothing is tried again, because some HR systems lock accounts out.';
    const more = request.unauthorised === undefined ? '' : ` ${request.unauthorised}`;
    return { heals: 'never', what, advice: `${advice}${more}`, refused: pass, isRefusal: true };
  }
  if (status === 403) {
    const advice = 'The credentials lack a right for this: docs/sources/ names the least rights of each kind.';
    return { heals: 'never', what, advice, isRefusal: true };
  }
  if (busy.includes(status)) {
    const afterMs = askedWaitMs(answer, now) ?? (status === 429 ? busyWaitMs : undefined);
    return { heals: 'here', what, advice: advices.busy, ...(afterMs === undefined ? {} : { afterMs }) };
  }
  if (request.isContinuation === true && forgotten.includes(status)) {
    const advice = 'The HR system has forgotten where it was: everybody is read again from the beginning.';
    return { heals: 'later', what: `${what} in the middle of the pages`, advice };
  }
  if (status >= 300 && status < 400) {
    const advice = 'Redirects are not followed, so that credentials stay here: set the final address.';
    return { heals: 'never', what, advice };
  }
  const advice = 'Check the address and what is asked for: the same request will be refused again.';
  return { heals: 'never', what, advice };
}

/** Whom the operator has to look at: an address that is wrong by a letter is seen here first. */
function hostOf({ url }: SourceRequest): string {
  return URL.canParse(url) ? new URL(url).host : 'no address';
}

/** `Retry-After` (RFC 9110, 10.2.3), else `X-RateLimit-Reset` as an epoch in seconds (HiBob). */
function askedWaitMs(answer: Answer, now: number): number | undefined {
  const asked = readRetryAfter(answer.header('retry-after'), now);
  if (asked !== undefined) return asked;
  const reset = answer.header('x-ratelimit-reset') ?? '';
  if (!/^\d{9,11}$/.test(reset)) return undefined;
  return Math.min(Math.max(0, Number(reset) * 1000 - now), maxRetryAfterMs);
}

/** What it means that no whole answer came. */
export function judgeBreakdown(
  request: SourceRequest,
  error: unknown,
  hasTimedOut: boolean,
  timeoutMs: number,
  advices: Advices,
): Trouble {
  const { name } = request;
  const host = hostOf(request);
  if (hasTimedOut) {
    const what = `${name} was not answered whole by ${host} within ${timeoutMs} ms`;
    return { heals: 'here', what, advice: advices.slow };
  }
  if (error instanceof AnswerInvalid) {
    const what = `${name} was answered by ${host}, but ${error.message}`;
    const advice = 'Check that the address is the API itself, not a login or maintenance page.';
    return { heals: error.isFinal ? 'later' : 'here', what, advice };
  }
  const { kind, text } = describeNetworkFailure(error);
  const what = `${name} got no whole answer from ${host}: ${text}`;
  if (kind === 'tls') return { heals: 'never', what, advice: "Check the server's certificate, `tls`, and this clock." };
  if (kind === 'too-large') return { heals: 'never', what, advice: 'Ask for smaller pages.' };
  return { heals: 'here', what, advice: 'Check the address and the network.' };
}

/** What it means that a long body goes on and on, too slowly to ever be enough. */
export function judgeTrickle({ name }: SourceRequest, longestMs: number, advices: Advices): Trouble {
  const what = `${name} was still sending after ${longestMs} ms of waiting, so it is given up and read again from the beginning`;
  return { heals: 'later', what, advice: advices.trickling };
}
