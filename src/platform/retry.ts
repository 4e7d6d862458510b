import { PlatformError } from '../core/run/errors.ts';
import type { Operation } from './operation.ts';

/** Highest number of attempts of a read. */
export const maxTries = 4;

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
export function retryDelayMs(
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
