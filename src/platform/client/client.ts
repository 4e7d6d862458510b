import { PlatformError, RollcallError } from '../../core/run/errors.ts';
import { given } from '../../core/run/given.ts';
import type { PaceNews } from '../../core/run/pace.ts';
import type { Dialect, Limits } from '../../core/run/settings.ts';
import { openLimiter } from '../../drivers/http/rate-limit.ts';
import { type Answer, openTransport, type TransportOptions } from '../../drivers/http/transport.ts';
import { readQuota, readRetryAfter } from '../../drivers/http/wait-headers.ts';
import type { RequestSeen } from '../../ports/metrics.ts';
import type { RateBudget } from '../../ports/platform.ts';
import type { Clock, Logger } from '../../ports/runtime.ts';
import type { AccessToken, AccessTokens } from '../../ports/tokens.ts';
import { randomShare, unaborted } from './defaults.ts';
import { afterRefusal, cancelledError, refuseToSend, tokenError } from './errors.ts';
import { type ExchangeBase, exchangeOnce } from './exchange.ts';
import { type Operation, operationName } from './operation.ts';

export type Way = Pick<TransportOptions, 'tls' | 'egress'>;

export interface PlatformClientOptions {
  readonly baseUrl: string;
  readonly dialect: Dialect;
  readonly limits: Limits;
  readonly tokens: AccessTokens;
  /** Required only by operations with `token: 'application'`. */
  readonly applicationToken?: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Proxy and certificate authorities. Absent: no proxy, and the public authorities. */
  readonly way?: Way;
  /** Decides when a call may start. Default: this client alone, by its limits. */
  readonly budget?: RateBudget;
  /** Receives every exchange that was started, after its end. */
  readonly onRequest?: (request: Omit<RequestSeen, 'connection'>) => void;
  /** 0 ≤ x < 1, for jitter. */
  readonly random?: () => number;
}

/** The client of one connection. All its calls share one rate limit, one concurrency limit and one connection pool. */
export interface PlatformClient {
  readonly dialect: Dialect;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly logger: Logger;
  /**
   * Makes the call. Retries temporary failures of reads, up to four attempts. Sends a write once, and again only after a
   * 401, which proves that it was not processed. Throws `PlatformError`; `effect` tells whether a write may
   * have been applied.
   */
  request<T>(operation: Operation<T>, signal?: AbortSignal): Promise<T>;
  /** Closes the sockets. Calls in progress fail. */
  close(): Promise<void>;
}

/** Opens the client of one connection. Sends nothing before the first request. Must be closed. */
export function openPlatformClient(options: PlatformClientOptions): PlatformClient {
  const { dialect, limits, tokens, clock, logger, random = randomShare } = options;
  const limiter = openLimiter(limits, clock, options.budget);
  const transport = openTransport(limits, options.way);
  const base: ExchangeBase = {
    transport,
    baseUrl: options.baseUrl,
    timeoutMs: limits.timeoutMs,
    acceptLanguage: dialect.acceptLanguage,
    refusedStatuses: dialect.refusedStatuses,
    now: () => clock.now(),
    ...given({ onRequest: options.onRequest }),
  };

  function exchange<T>(operation: Operation<T>, secret: string, signal: AbortSignal, askedAt: number): Promise<T> {
    const startedAt = clock.now();
    const onAnswer = (answer: Pick<Answer, 'status' | 'header'>): void =>
      limiter.learn(newsOf(answer, operation, { startedAt, now: clock.now() }));
    return exchangeOnce(base, operation, { secret, signal, askedAt, onAnswer });
  }

  /** Makes one exchange when the limiter allows it. Requests the token only then, because it may be revoked during the wait. */
  async function send<T>(operation: Operation<T>, secretNow: () => Promise<string>, signal: AbortSignal): Promise<T> {
    const askedAt = clock.now();
    try {
      return await limiter.run(async () => exchange(operation, await secretNow(), signal, askedAt), signal);
    } catch (error) {
      // Not a PlatformError: there is no token, or the signal aborted while the call waited for the limiter.
      throw error instanceof PlatformError ? error : unsentError(operation, error, signal);
    }
  }

  async function sendAuthorised<T>(operation: Operation<T>, signal: AbortSignal): Promise<T> {
    if (operation.token === 'application') {
      const secret = options.applicationToken;
      if (secret === undefined) throw refuseToSend(operation, 'it needs the application token: set applicationToken.');
      return send(operation, async () => secret, signal);
    }
    let generation: number | undefined;
    const sendWith = async (tokenNow: () => Promise<AccessToken>): Promise<T> => {
      const secretNow = async () => {
        const token = await tokenNow();
        generation = token.generation;
        return token.secret;
      };
      const answer = await send(operation, secretNow, signal);
      // Only `/os-api` proves a token. Elsewhere a revoked token still works (contract, "Authentication").
      if (generation !== undefined && operation.path.startsWith('/os-api/')) tokens.accepted(generation);
      return answer;
    };
    let refusal: PlatformError | undefined;
    for (let next = () => tokens.current(signal); ; ) {
      try {
        return await sendWith(next);
      } catch (error) {
        if (!(error instanceof PlatformError)) throw error;
        if (error.status !== 401 || generation === undefined) throw afterRefusal(error, refusal);
        if (operation.finalStatuses?.includes(401)) throw error;
        const refused = generation;
        if (await isYoung(operation, refused, signal)) {
          next = () => tokens.current(signal);
          continue;
        }
        if (refusal !== undefined) throw error;
        refusal = error;
        next = () => tokens.renew(refused, signal);
      }
    }
  }

  /** Waits while a token that was just issued is refused. */
  async function isYoung(operation: Operation<unknown>, refused: number, signal: AbortSignal): Promise<boolean> {
    try {
      return (await tokens.outwait?.(refused, signal)) ?? false;
    } catch (reason) {
      throw cancelledError(operation, reason, 'none');
    }
  }

  async function request<T>(operation: Operation<T>, signal = unaborted()): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await sendAuthorised(operation, signal);
      } catch (error) {
        const waitMs = retryDelayMs(operation, error, attempt, random);
        if (waitMs === undefined || !(error instanceof PlatformError)) throw error;
        const fields = { operation: operationName(operation), status: error.status, code: error.code, attempt, waitMs };
        logger.warn(fields, `read failed, try ${attempt + 1} of ${maxTries} follows`);
        await clock.sleep(waitMs, signal).catch((reason) => Promise.reject(cancelledError(operation, reason, 'none')));
      }
    }
  }

  return { dialect, limits, clock, logger, request, close: () => transport.close() };
}

/**
 * Converts an error from before sending: the caller canceled, or there is no token. Any other error is a bug and
 * unchanged.
 */
function unsentError(operation: Operation<unknown>, error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return cancelledError(operation, signal.reason, 'none');
  return error instanceof RollcallError ? tokenError(operation, error) : error;
}

/** Returns what an answer says about the pace. A busy status of an upload is about another file, not about the pace. */
function newsOf(
  { status, header }: Pick<Answer, 'status' | 'header'>,
  { busyStatuses = [] }: Operation<unknown>,
  times: Pick<PaceNews, 'startedAt' | 'now'>,
): PaceNews {
  const retryAfterMs = readRetryAfter(header, times.now);
  const isTooMany = status === 429 || ((status === 503 || status === 403) && retryAfterMs !== undefined);
  const isRefused = isTooMany && !busyStatuses.includes(status);
  return { ...times, isRefused, retryAfterMs, quota: readQuota(header, times.now) };
}

/** Highest number of attempts of a read. */
const maxTries = 4;

const firstDelayMs = 500;
const longestDelayMs = 8_000;

/** Longest `Retry-After` that is waited for here. A longer one is passed to the caller, which delays the job. */
const longestOwnWaitMs = 20_000;

const healing: ReadonlySet<string> = new Set([
  'PLATFORM_UNREACHABLE',
  'PLATFORM_ANSWER_INVALID',
  'PLATFORM_BUSY',
  'PLATFORM_FAILED',
]);

/**
 * Returns the wait in ms before a failed read is retried. Returns undefined for a write, a permanent failure, the
 * last attempt, and a wait that is too long. The wait is exponential with jitter over its upper half; `random` is in
 * [0, 1).
 */
function retryDelayMs(
  operation: Operation<unknown>,
  error: unknown,
  attempt: number,
  random: () => number,
): number | undefined {
  if (operation.effect !== 'read' || attempt >= maxTries) return undefined;
  if (!(error instanceof PlatformError) || error.retry === 'never' || !healing.has(error.code)) return undefined;
  if (error.status !== undefined && operation.finalStatuses?.includes(error.status)) return undefined;
  const backoffMs = Math.min(longestDelayMs, firstDelayMs * 2 ** (attempt - 1)) * (0.5 + random() / 2);
  if (error.retry === 'backoff') return Math.round(backoffMs);
  if (error.retry.afterMs > longestOwnWaitMs) return undefined;
  // `Retry-After: 0` must not become a hot loop.
  return Math.round(error.retry.afterMs + backoffMs / 2);
}
