import { RollcallError } from '../../core/errors.ts';

const maxTries = 5;
const firstWaitMs = 1000;
const longestBackoffMs = 60_000;
/** The job is put aside meanwhile, so a platform may ask for a long wait. */
const longestWaitMs = 15 * 60_000;

/**
 * How long a job that failed for the `tries`th time is put aside; undefined when another try is of no use. Backoff is
 * exponential with jitter over its upper half, `random` in [0, 1); what the other side asked for is kept, and a bit more.
 */
export function retryWait(error: unknown, tries: number, random: () => number): number | undefined {
  if (!(error instanceof RollcallError) || error.retry === 'never' || tries >= maxTries) return undefined;
  const backoffMs = Math.min(longestBackoffMs, firstWaitMs * 2 ** (tries - 1)) * (0.5 + random() / 2);
  if (error.retry === 'backoff') return Math.round(backoffMs);
  return Math.round(Math.min(longestWaitMs, error.retry.afterMs) + backoffMs / 2);
}
