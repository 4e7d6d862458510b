import { PlatformError } from '../core/errors.ts';
import type { Operation } from './operation.ts';

/** A read is sent at most this often. */
export const maxTries = 4;

const firstDelayMs = 500;
const longestDelayMs = 8_000;

/** A `Retry-After` up to this long is waited for here; a longer one is handed up, to delay the job instead. */
const longestOwnWaitMs = 20_000;

const healing: ReadonlySet<string> = new Set([
  'PLATFORM_UNREACHABLE',
  'PLATFORM_ANSWER_INVALID',
  'PLATFORM_BUSY',
  'PLATFORM_FAILED',
]);

/**
 * How long to wait before a failed read is sent again; undefined when it must not be: a write, a failure that does not
 * heal, the last try, a wait too long to sit out. Exponential with full jitter above half, `random` in [0, 1).
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
