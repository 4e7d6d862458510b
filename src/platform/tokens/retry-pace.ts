import type { OddAnswer } from '../../ports/tokens.ts';

const firstWaitMs = 5000;
const longestWaitMs = 3_600_000;
/** Nothing was consumed, and the network may be back at any moment. */
const longestUnreachedMs = 60_000;

/** Returns the wait after the n-th odd answer in a row (from 1): 5 s, then twice as long each time, up to an hour. */
export function waitAfter(attempts: number): number {
  return Math.min(longestWaitMs, firstWaitMs * 2 ** Math.max(0, attempts - 1));
}

interface OddEnd extends OddAnswer {
  readonly kind: 'not-sent' | 'unknown';
}

interface Presentation {
  readonly startedAt: number;
  readonly endedAt: number;
  readonly attempts: number;
  readonly leaseMs: number;
}

/**
 * Returns when a refresh token may be presented again. A call without an answer may still reach the issuer, so the next
 * one waits until the lease of this one is over.
 */
export function nextTryAt(end: OddEnd, { startedAt, endedAt, attempts, leaseMs }: Presentation): number {
  const { kind, isAnswered = false, afterMs = 0 } = end;
  const isUnreached = kind === 'not-sent' && !isAnswered;
  const waitMs = Math.min(waitAfter(attempts), isUnreached ? longestUnreachedMs : longestWaitMs);
  const stillAtWork = kind === 'unknown' && !isAnswered ? startedAt + leaseMs : 0;
  return Math.max(endedAt + Math.max(waitMs, afterMs), stillAtWork);
}

/** A new access token may need this long to reach every server of the platform. */
export const youthMs = 60_000;
const firstGapMs = 500;
const longestGapMs = 15_000;

/**
 * Returns the wait before a young access token that was refused is tried again: as long as it has been refused already,
 * until a minute has passed. Undefined: it is not young, or was refused for a minute.
 */
export function gapAfterRefusal(issuedAt: number | undefined, refusedAt: number, now: number): number | undefined {
  if (issuedAt === undefined || Math.abs(refusedAt - issuedAt) >= youthMs) return undefined;
  const passedMs = Math.abs(now - refusedAt);
  if (passedMs >= youthMs) return undefined;
  return Math.min(Math.max(firstGapMs, passedMs), longestGapMs, youthMs - passedMs);
}
