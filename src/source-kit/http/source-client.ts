import { randomInt } from 'node:crypto';
import { RollcallError } from '../../core/errors.ts';
import { AnswerInvalid } from '../../http/answer-invalid.ts';
import { type Deadline, startDeadline } from '../../http/deadline.ts';
import { exactValue, readJson } from '../../http/json-text.ts';
import type { Method, OperationBody } from '../../http/message.ts';
import { openLimiter } from '../../http/rate-limit.ts';
import { type Answer, openTransport, readBytes } from '../../http/transport.ts';
import type { SourceIo } from '../../ports/source.ts';
import type { Authority, Pass } from './authority.ts';
import type { HttpLimits, HttpTls } from './settings.ts';
import { judgeBreakdown, judgeStatus, type Trouble } from './trouble.ts';

/** One request to an HR system. All of them are reads, so all may be sent again. */
export interface SourceRequest {
  /** How it is called in messages, without ids and cursors: `GET /v1/people`. */
  readonly name: string;
  readonly url: string;
  readonly method?: Method;
  /** Beside the pass; names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Extract<OperationBody, { kind: 'json' | 'text' }>;
  /** Asks for what follows a page: 400, 404 and 410 then mean that the place is forgotten, and the read starts anew. */
  readonly isContinuation?: boolean;
  /** Statuses beside 200 that are answers: 204, 404. */
  readonly answers?: readonly number[];
}

/** An answer that was read whole. */
export interface SourceAnswer {
  readonly status: number;
  header(name: string): string | undefined;
  readonly bytes: Uint8Array;
}

export interface SourceClientParts {
  /** The one origin that may see the pass. */
  readonly origin: string;
  readonly authority: Authority;
  readonly limits: HttpLimits;
  readonly tls?: HttpTls;
  /** Largest body, in bytes; 64 MB unless told. */
  readonly maxBytes?: number;
  readonly io: SourceIo;
}

/** The way to one HR system during one read. */
export interface SourceClient {
  /**
   * Sends until there is an answer: waits as the server asks, tries again what may heal, renews the pass once after a
   * 401. Throws SOURCE_UNAVAILABLE, with `retry: never` where only a person can help.
   */
  send(request: SourceRequest): Promise<SourceAnswer>;
  /** As `send`, and decodes JSON; ids beyond 2^53 as text. An HTML page or half a body is no JSON. */
  json(request: SourceRequest): Promise<unknown>;
  /** As `send`, but gives the body as it comes, for answers too large to hold. Trouble after the head is not healed. */
  stream(request: SourceRequest): AsyncGenerator<Uint8Array>;
}

const maxTries = 6;
const firstDelayMs = 500;
const longestDelayMs = 30_000;

/**
 * Runs a read over a client of its own, and closes its sockets however the read ends (behaviour of section "HTTP
 * behaviour shared by adapters" of docs/sources/README.md).
 */
export async function* withSourceClient<T, R>(
  parts: SourceClientParts,
  work: (client: SourceClient) => AsyncGenerator<T, R>,
): AsyncGenerator<T, R> {
  parts.io.signal.throwIfAborted();
  const { limits, tls, maxBytes } = parts;
  const transport = openTransport({ concurrency: 4, timeoutMs: limits.timeout }, tls, maxBytes);
  try {
    return yield* work(openClient(parts, transport));
  } finally {
    await transport.close();
  }
}

function openClient(parts: SourceClientParts, transport: ReturnType<typeof openTransport>): SourceClient {
  const { authority, io, limits, origin } = parts;
  const { clock, logger, signal } = io;
  const rate = { requestsPerSecond: limits.requestsPerSecond, concurrency: 4, timeoutMs: limits.timeout };
  const limiter = openLimiter(rate, clock);

  const exchange = async (request: SourceRequest, pass: Pass, deadline: Deadline): Promise<Answer> => {
    const { method = 'GET', url, body } = request;
    if (new URL(url).origin !== origin) throw foreignOrigin(request);
    const type = body?.kind === 'json' ? { 'content-type': 'application/json' } : {};
    const headers = { accept: 'application/json', ...type, ...request.headers, ...pass.headers };
    return limiter.run(() => transport.send({ method, url, headers, body }, deadline), signal);
  };

  /** One try. `use` reads the body, within the deadline of the exchange. */
  const attempt = async <T>(request: SourceRequest, use: (answer: Answer) => Promise<T>): Promise<T | Trouble> => {
    const pass = await authority.pass(clock, signal);
    const deadline = startDeadline(signal, limits.timeout);
    try {
      const answer = await exchange(request, pass, deadline);
      if (answer.status === 200 || request.answers?.includes(answer.status)) {
        const used = await use(answer);
        authority.accepted?.(answer, pass);
        return used;
      }
      await readBytes(answer, 64 * 1024).catch(() => {});
      return judgeStatus(request, answer, pass, clock.now());
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof RollcallError) throw error;
      return judgeBreakdown(request, error, deadline.hasPassed(), limits.timeout);
    } finally {
      deadline.dispose();
    }
  };

  const insist = async <T>(request: SourceRequest, use: (answer: Answer) => Promise<T>): Promise<T> => {
    const giveUpAt = clock.now() + limits.patience;
    let isRenewed = false;
    for (let tries = 1; ; tries++) {
      const found = await attempt(request, use);
      if (!isTrouble(found)) return found;
      if (found.refused !== undefined && !isRenewed && (await authority.renew(found.refused, clock, signal))) {
        isRenewed = true;
        continue;
      }
      if (found.heals === 'never') throw troubleError(found, 'never');
      const backoffMs = Math.min(longestDelayMs, firstDelayMs * 2 ** (tries - 1)) * (0.5 + randomShare() / 2);
      // A server that names its time is asked then, and not a moment before.
      const waitMs = Math.round((found.afterMs ?? 0) + (found.afterMs === undefined ? backoffMs : backoffMs / 4));
      const isOver = found.heals === 'later' || clock.now() + waitMs > giveUpAt;
      if (isOver || (found.afterMs === undefined && tries >= maxTries)) throw troubleError(found, 'backoff');
      logger.warn({ request: request.name, tries, waitMs }, `source: ${found.what}; trying again`);
      await clock.sleep(waitMs, signal);
    }
  };

  const readWhole = async (answer: Answer): Promise<SourceAnswer> => ({
    status: answer.status,
    header: answer.header,
    bytes: await readBytes(answer, parts.maxBytes),
  });

  return {
    send: (request) => insist(request, readWhole),
    json: (request) =>
      insist(request, async (answer) => {
        refuseWebPage(answer);
        const { bytes } = await readWhole(answer);
        return bytes.length === 0 && answer.status !== 200 ? undefined : exactValue(readJson(bytes));
      }),
    async *stream(request) {
      const answer = await insist(request, async (found) => {
        refuseWebPage(found);
        return found;
      });
      try {
        for await (const chunk of answer.body) {
          signal.throwIfAborted();
          yield chunk;
        }
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof RollcallError) throw error;
        throw troubleError(judgeBreakdown(request, error, false, limits.timeout), 'backoff');
      }
    },
  };
}

/** A proxy's login or maintenance page comes as 200 with HTML: it is no answer. */
function refuseWebPage(answer: Answer): void {
  const type = answer.header('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (type.endsWith('html')) throw new AnswerInvalid('the body is a web page instead of data', true);
}

function isTrouble<T>(found: T | Trouble): found is Trouble {
  return typeof found === 'object' && found !== null && 'heals' in found && 'what' in found;
}

function troubleError({ what, advice }: Trouble, retry: 'never' | 'backoff'): RollcallError {
  return new RollcallError(`${what}. ${advice}`, { code: 'SOURCE_UNAVAILABLE', retry });
}

function foreignOrigin({ name }: SourceRequest): RollcallError {
  const message =
    `${name} leads to another host than the configured one, which must not see our credentials; nothing was sent there. ` +
    'If the HR system has really moved, set its new address in the configuration.';
  return new RollcallError(message, { code: 'SOURCE_UNAVAILABLE', retry: 'never' });
}

function randomShare(): number {
  return randomInt(2 ** 32) / 2 ** 32;
}
