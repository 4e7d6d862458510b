import { isStoreAway, RollcallError } from '../core/run/errors.ts';

/** Longest wait between two checks (ms), because an operator may cancel the run during a wait. */
export const longestUnwatchedMs = 30_000;

const maxTries = 5;
const firstWaitMs = 1000;
const longestBackoffMs = 60_000;
/** Longest wait for a store that does not answer (ms): work continues soon after the store is available again. */
const longestStoreWaitMs = 5000;
/**
 * Longest accepted `Retry-After` (ms). A platform in maintenance may request more, but the run would then seem to hang.
 */
const longestAskedMs = 3_600_000;

/**
 * Returns the wait before the next try after `tries` failures; undefined when a retry cannot help. Backoff is
 * exponential with jitter over its upper half; `random` is in [0, 1]. A `Retry-After` (RFC 9110, 10.2.3) is respected
 * up to one hour. A store that is away is waited for without end, because a run cannot even be failed without it. A
 * short random wait is added, so that not all processes retry at the same time.
 */
export function retryWait(error: unknown, tries: number, random: () => number): number | undefined {
  if (!(error instanceof RollcallError) || error.retry === 'never') return undefined;
  const isStore = isStoreAway(error);
  if (tries >= maxTries && !isStore) return undefined;
  const longestMs = isStore ? longestStoreWaitMs : longestBackoffMs;
  const backoffMs = Math.min(longestMs, firstWaitMs * 2 ** (tries - 1)) * (0.5 + random() / 2);
  if (error.retry === 'backoff') return Math.round(backoffMs);
  return Math.round(Math.min(longestAskedMs, error.retry.afterMs) + backoffMs / 2);
}
