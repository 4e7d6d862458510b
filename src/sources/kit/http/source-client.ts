import { randomInt } from 'node:crypto';
import type { ListCount } from '../../../core/guard/answer.ts';
import type { ReadEnd } from '../../../core/plan/snapshot.ts';
import { hostOf } from '../../../core/run/addresses.ts';
import { type Retry, RollcallError } from '../../../core/run/errors.ts';
import { given } from '../../../core/run/given.ts';
import { type Deadline, startDeadline } from '../../../drivers/http/deadline.ts';
import { ownBody, refuseForeign } from '../../../drivers/http/foreign-answer.ts';
import { isRecord } from '../../../drivers/http/json-text.ts';
import { openLimiter } from '../../../drivers/http/rate-limit.ts';
import { type Answer, openTransport, readBytes, type Transport } from '../../../drivers/http/transport.ts';
import type { ReadRequest, Source, SourceIo, SourcePage } from '../../../ports/source.ts';
import { openJudge } from '../answer-failure.ts';
import type { Authority, Credential } from './authority.ts';
import type { SourceRequest } from './failure.ts';
import {
  type BreakdownFacts,
  type FailureAdvice,
  judgeBreakdown,
  judgeStatus,
  judgeTrickle,
  limitsAdvice,
  type RequestFailure,
} from './failure.ts';
import { readJsonText } from './read-json.ts';
import type { HttpLimits, HttpTls } from './settings.ts';

/** An answer that was read completely. */
export interface SourceAnswer {
  readonly status: number;
  header(name: string): string | undefined;
  /** Returns every value of a header that may occur more than once (`link`). */
  headerAll(name: string): readonly string[];
  readonly bytes: Uint8Array;
}

/** An answer whose body was JSON. `value` is undefined when the status is neither 200 nor 206. */
export interface JsonAnswer extends SourceAnswer {
  readonly value: unknown;
}

export interface SourceClientParts {
  /** The only origin that receives the credential. */
  readonly origin: string;
  readonly authority: Authority;
  readonly limits: HttpLimits;
  readonly tls?: HttpTls;
  /** Largest body in bytes. Default: 64 MB. */
  readonly maxBytes?: number;
  /** Wait after a 429 without `Retry-After`, where the vendor documents one. */
  readonly busyWaitMs?: number;
  /** Advice for a slow or busy server, where `limits` is not a section of the configuration. */
  readonly adviceFor?: FailureAdvice;
  readonly io: SourceIo;
}

/** The connection to one HR system during one read. */
export interface SourceClient {
  /**
   * Sends a request until it is answered. Waits as the server asks, retries temporary failures, and renews the
   * credential once after a 401. Throws SOURCE_UNAVAILABLE (`retry: never` when only an operator can help), or
   * SOURCE_REFUSED (`retry: never`) when the credentials are refused.
   */
  send(request: SourceRequest): Promise<SourceAnswer>;
  /** Like `send`, and decodes JSON; ids beyond 2^53 are text. Rejects an HTML page and an incomplete body. */
  json(request: SourceRequest): Promise<unknown>;
  /** Like `json`, with status and headers, which some paging needs. */
  jsonAnswer(request: SourceRequest): Promise<JsonAnswer>;
  /**
   * Like `send`, but returns the body as a stream, for answers too large to hold. Does not retry after the headers
   * arrived. Gives up a body after `limits.deadline` (or `limits.timeout`, if that is longer) of waiting.
   */
  stream(request: SourceRequest): AsyncGenerator<Uint8Array>;
  /**
   * Like `send`, but passes headers and body stream to `use`, for files that are stored elsewhere. Calls `use` again
   * with the next answer when the body breaks off. Extends the deadline while bytes flow, up to `limits.deadline` (or
   * `limits.timeout`, if that is longer) for the whole body.
   */
  receive<T>(request: SourceRequest, use: UseAnswer<T>): Promise<T>;
  /** Notes what the answer to a request holds beside its list. `json` does so for each answer with a list. */
  judge(name: string, answer: unknown): void;
  /** Notes how many people the list of a request had, to compare them with totals of its answers. */
  count(name: string, list: ListCount): void;
  /** Returns the end of a read: doubted, where an answer differs from those of the last accepted read. */
  judged(end: ReadEnd, kind: ReadRequest['kind']): ReadEnd;
}

type UseAnswer<T> = (answer: Answer, deadline: Deadline) => Promise<T>;

const maxTries = 6;
const firstDelayMs = 500;
const longestDelayMs = 30_000;

/**
 * Runs a read with its own client, and closes the sockets however the read ends. The behavior is documented in
 * docs/sources/README.md.
 */
export async function* withSourceClient<T, R>(
  parts: SourceClientParts,
  work: (client: SourceClient) => AsyncGenerator<T, R>,
): AsyncGenerator<T, R> {
  parts.io.signal.throwIfAborted();
  const { limits, tls, maxBytes } = parts;
  // When a read ends, requests that it made beside the last one end too.
  const stop = new AbortController();
  const io = { ...parts.io, signal: AbortSignal.any([parts.io.signal, stop.signal]) };
  const transport = openTransport(
    { concurrency: 4, timeoutMs: limits.timeout },
    { tls, maxBytes, egress: parts.io.egress },
  );
  try {
    return yield* work(openClient({ ...parts, io }, transport));
  } finally {
    stop.abort(new RollcallError('the read of the HR system has ended', { code: 'CANCELLED' }));
    await transport.close();
  }
}

/** What one read over HTTP works with. */
export interface HttpRead {
  readonly client: SourceClient;
  readonly request: ReadRequest;
  readonly io: SourceIo;
}

/** Returns how a source is read over HTTP. `url`: any address of the HR system. */
export function readOverHttp(
  { url, limits, tls }: Pick<SourceClientParts, 'limits' | 'tls'> & { readonly url: string },
  authority: Authority,
  read: (by: HttpRead) => AsyncGenerator<SourcePage, ReadEnd>,
  more: Pick<SourceClientParts, 'maxBytes' | 'busyWaitMs'> = {},
): Source['read'] {
  const parts = { ...more, origin: new URL(url).origin, authority, limits, tls };
  return (request, io) =>
    withSourceClient({ ...parts, io }, async function* (client) {
      return client.judged(yield* read({ client, request, io }), request.kind);
    });
}

type Outcome<T> =
  | { readonly kind: 'used'; readonly value: T }
  | { readonly kind: 'failure'; readonly failure: RequestFailure };

/** Reads an answer's body. The deadline of the exchange ends with it, unless `use` takes it over. */
type Use<T> = (answer: Answer, deadline: HeldDeadline) => Promise<T>;

/** A deadline that another owner can take over. */
interface HeldDeadline extends Deadline {
  takeOver(): Deadline;
}

function openClient(parts: SourceClientParts, transport: Transport): SourceClient {
  const { authority, io, limits, origin, adviceFor = limitsAdvice } = parts;
  const { clock, logger, signal } = io;
  const failureError = (failure: RequestFailure, retry: Retry): RollcallError =>
    errorOf(failure, hostOf(origin), retry);
  const rate = { requestsPerSecond: limits.requestsPerSecond, concurrency: 4, timeoutMs: limits.timeout };
  const limiter = openLimiter(rate, clock);
  const breakdownFacts = (deadline: Deadline): BreakdownFacts => ({
    hasTimedOut: deadline.hasPassed(),
    timeoutMs: limits.timeout,
    adviceFor,
  });

  /** Sends when the limiter allows it, and reads the answer within one deadline. */
  const exchange = async <T>(request: SourceRequest, credential: Credential, use: Use<T>): Promise<Outcome<T>> => {
    const { method = 'GET', url, body } = request;
    const type = body?.kind === 'json' ? { 'content-type': 'application/json' } : {};
    const headers = { accept: 'application/json', ...type, ...request.headers, ...credential.headers };
    return limiter.run(async () => {
      // The deadline starts here, because waiting for the limiter is not the server's time.
      const deadline = openDeadline(signal, limits.timeout);
      let answer: Answer | undefined;
      try {
        answer = await transport.send({ method, url, headers, body }, deadline);
        if (answer.status !== 200 && request.answers?.includes(answer.status) !== true) {
          const bytes = await readBytes(answer, 64 * 1024).catch(() => new Uint8Array());
          const refusal = request.refusal?.(answer.status, bytes);
          const raw = Buffer.from(bytes).toString('utf8').slice(0, maxRawLength);
          if (refusal !== undefined)
            return { kind: 'failure', failure: { retry: 'never', isOwn: 'surely', ...refusal, raw } };
          const facts = { credential, now: clock.now(), adviceFor, busyWaitMs: parts.busyWaitMs, bytes };
          return { kind: 'failure', failure: { ...judgeStatus(request, answer, facts), status: answer.status, raw } };
        }
        authority.accepted?.(answer, credential, clock);
        return { kind: 'used', value: await use(answer, deadline) };
      } catch (error) {
        signal.throwIfAborted();
        // An error of the code that uses the answer, for example a full disk.
        if (error instanceof RollcallError) throw error;
        return {
          kind: 'failure',
          failure: judgeBreakdown(request, error, breakdownFacts(deadline)),
        };
      } finally {
        // Whatever `use` left unread must not keep the socket.
        if (deadline.end()) answer?.discard();
      }
    }, signal);
  };

  const attempt = async <T>(request: SourceRequest, use: Use<T>): Promise<Outcome<T>> => {
    if (originOf(request.url) !== origin) throw foreignOrigin(request);
    const credential = await authority.credential(clock, signal, { method: request.method ?? 'GET', url: request.url });
    return exchange(request, credential, use);
  };

  const insist = async <T>(request: SourceRequest, use: Use<T>): Promise<T> => {
    const giveUpAt = clock.now() + limits.deadline;
    let isRenewed = false;
    const renews = async (refused: Credential | undefined): Promise<boolean> =>
      refused !== undefined && !isRenewed && (await authority.renew(refused, clock, signal));
    for (let tries = 1; ; tries++) {
      const found = await attempt(request, use).catch(judgeAuthority);
      if (found.kind === 'used') return found.value;
      let { failure } = found;
      const renewed = await renews(failure.refused).catch(judgeAuthority);
      if (renewed === true) {
        isRenewed = true;
        continue;
      }
      if (renewed !== false) failure = renewed.failure;
      if (failure.retry === 'never') throw failureError(failure, 'never');
      const backoffMs = Math.min(longestDelayMs, firstDelayMs * 2 ** (tries - 1)) * (0.5 + randomShare() / 2);
      // After Retry-After the request is not sent early.
      const waitMs = Math.round((failure.afterMs ?? 0) + (failure.afterMs === undefined ? backoffMs : backoffMs / 4));
      const isOver = failure.retry === 'read' || clock.now() + waitMs > giveUpAt;
      if (isOver || (failure.afterMs === undefined && tries >= maxTries)) {
        throw failureError(failure, failure.afterMs === undefined ? 'backoff' : { afterMs: failure.afterMs });
      }
      logger.warn({ request: request.name, tries, waitMs }, `source: ${failure.what}; trying again`);
      await clock.sleep(waitMs, signal);
    }
  };

  /** Handles an error of the authority. A busy token endpoint is retried; any other error is passed on. */
  const judgeAuthority = (error: unknown): Extract<Outcome<never>, { kind: 'failure' }> => {
    signal.throwIfAborted();
    if (!(error instanceof RollcallError) || error.code !== 'SOURCE_UNAVAILABLE' || error.retry !== 'backoff')
      throw error;
    const cause = given({ rootCause: error.rootCause });
    return { kind: 'failure', failure: { retry: 'request', what: error.message, advice: '', ...cause } };
  };

  const readWhole = async (answer: Answer): Promise<SourceAnswer> => ({
    status: answer.status,
    header: answer.header,
    headerAll: answer.headerAll,
    bytes: await readBytes(answer, parts.maxBytes),
  });

  const longestMs = Math.max(limits.deadline, limits.timeout);
  const trickling = (request: SourceRequest): RollcallError =>
    failureError(judgeTrickle(request, longestMs, adviceFor), 'backoff');

  /** Streams the body, and gives up when it is not complete in time. */
  async function* wholeInTime(request: SourceRequest, body: Answer['body']): AsyncGenerator<Uint8Array> {
    const whole = startDeadline(signal, longestMs);
    try {
      for await (const chunk of body) {
        if (whole.hasPassed()) throw trickling(request);
        yield chunk;
      }
    } finally {
      whole.dispose();
    }
  }

  const judge = openJudge(io);

  const jsonAnswer = (request: SourceRequest): Promise<JsonAnswer> =>
    insist(request, async (answer) => {
      const whole = await readWhole(answer);
      if (answer.status !== 200 && answer.status !== partial) return { ...whole, value: undefined };
      refuseForeign(whole.bytes, 'JSON');
      const value = readJsonText(whole.bytes, whole);
      if (holdsList(value)) judge.judge(request.name, { ...(isRecord(value) ? value : {}), ...totalHeaders(answer) });
      return { ...whole, value };
    });

  return {
    ...judge,
    send: (request) =>
      insist(request, async (answer) => {
        const whole = await readWhole(answer);
        if (request.expects !== undefined) refuseForeign(whole.bytes, request.expects);
        return whole;
      }),
    receive: (request, use) =>
      insist(request, (answer, deadline) => use({ ...answer, body: wholeInTime(request, answer.body) }, deadline)),
    json: async (request) => (await jsonAnswer(request)).value,
    jsonAnswer,
    async *stream(request) {
      const { answer, deadline } = await insist(request, async (found, held) => {
        return { answer: found, deadline: held.takeOver() };
      });
      // Time that the reader takes between two chunks does not count for the server.
      let waitedMs = 0;
      let askedAt = clock.now();
      try {
        for await (const chunk of ownBody(answer.body, 'JSON')) {
          signal.throwIfAborted();
          waitedMs += Math.max(0, clock.now() - askedAt);
          if (waitedMs > longestMs) throw trickling(request);
          deadline.extend();
          yield chunk;
          deadline.extend();
          askedAt = clock.now();
        }
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof RollcallError) throw error;
        throw failureError(judgeBreakdown(request, error, breakdownFacts(deadline)), 'backoff');
      } finally {
        deadline.dispose();
        answer.discard();
      }
    },
  };
}

/** `end` disposes the deadline, and returns false when another owner has taken it over. */
function openDeadline(signal: AbortSignal, timeoutMs: number): HeldDeadline & { end(): boolean } {
  const deadline = startDeadline(signal, timeoutMs);
  let isHeld = false;
  return {
    ...deadline,
    takeOver() {
      isHeld = true;
      return deadline;
    },
    end() {
      if (!isHeld) deadline.dispose();
      return !isHeld;
    },
  };
}

/** Returns whether the answer has a list, or one of its members has: an answer about one person says nothing of a list. */
function holdsList(value: unknown): boolean {
  if (Array.isArray(value)) return true;
  const members = isRecord(value) ? Object.values(value) : [];
  return members.some((one) => Array.isArray(one) || (isRecord(one) && Object.values(one).some(Array.isArray)));
}

/** The headers with which servers say how many people a list has in all. */
const totals = ['x-total-count', 'x-total', 'total-count', 'x-wp-total', 'x-pagination-total-count', 'content-range'];

function totalHeaders({ header }: Answer): Readonly<Record<string, string>> {
  const found = totals.flatMap((name) => {
    const [total] = /\d+$/.exec(header(name)?.trim() ?? '') ?? [];
    return total === undefined ? [] : [[`header ${name}`, total]];
  });
  return Object.fromEntries(found);
}

/** Partial Content: a page of a list, where the request lists it among its answers. */
const partial = 206;

/** Characters of an error body that are kept for sealed storage. */
const maxRawLength = 4000;

function errorOf(failure: RequestFailure, host: string, retry: Retry): RollcallError {
  const { what, advice, isRefusal = false, isOwn, status, title, raw } = failure;
  const code = isRefusal ? 'SOURCE_REFUSED' : 'SOURCE_UNAVAILABLE';
  const topic = isRefusal ? 'credential' : 'source';
  const more = given({ status, title, isOwn: isOwn === 'perhaps' ? (true as const) : undefined });
  const ofHost = isOwn === 'surely' && !isRefusal ? undefined : ({ topic, subject: host, ...more } as const);
  const rootCause = failure.rootCause ?? ofHost;
  return new RollcallError(advice === '' ? what : `${what}. ${advice}`, { code, retry, ...given({ raw, rootCause }) });
}

/** Returns undefined for text that is not an absolute address. */
function originOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).origin : undefined;
}

function foreignOrigin({ name }: SourceRequest): RollcallError {
  const message =
    `${name} leads to a host that is not configured and must not receive the credentials; nothing was sent there. ` +
    'If the HR system has moved, set its new address in the configuration.';
  return new RollcallError(message, { code: 'SOURCE_UNAVAILABLE', retry: 'never' });
}

function randomShare(): number {
  return randomInt(2 ** 32) / 2 ** 32;
}
