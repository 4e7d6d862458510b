import { RollcallError } from '../core/errors.ts';

/** A wait is looked at again after so long: a person may have cancelled the run meanwhile. */
export const longestUnwatchedMs = 30_000;

const maxTries = 5;
const firstWaitMs = 1000;
const longestBackoffMs = 60_000;
/** A platform in maintenance may ask for a long wait. More than an hour would look like a run that hangs. */
const longestAskedMs = 3_600_000;

/**
 * How long to wait before what failed for the `tries`th time is tried again; undefined when another try is of no use.
 * Backoff is exponential with jitter over its upper half, `random` in [0, 1]. What the other side asked for
 * (`Retry-After`, RFC 9110, 10.2.3) is kept, up to an hour, and a bit more, so that not everybody comes back at once.
 */
export function retryWait(error: unknown, tries: number, random: () => number): number | undefined {
  if (!(error instanceof RollcallError) || error.retry === 'never' || tries >= maxTries) return undefined;
  const backoffMs = Math.min(longestBackoffMs, firstWaitMs * 2 ** (tries - 1)) * (0.5 + random() / 2);
  if (error.retry === 'backoff') return Math.round(backoffMs);
  return Math.round(Math.min(longestAskedMs, error.retry.afterMs) + backoffMs / 2);
}
