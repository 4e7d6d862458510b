import type { Limits } from './settings.ts';

/**
 * Rate at which a connection may be called, learned from refusals and headers of the platform. All who share the rate
 * of a connection share it. Instants are epoch ms.
 */
export interface Pace {
  /** Part of the limits that was allowed at `at`. It grows back with time. */
  readonly share: number;
  readonly at: number;
  /** No request starts before this instant. */
  readonly notBefore: number;
  /** Requests per second that the platform's headers leave until `quotaUntil`. */
  readonly quota: number;
  readonly quotaUntil: number;
}

export const fullPace: Pace = { share: 1, at: 0, notBefore: 0, quota: 0, quotaUntil: 0 };

/** What an answer says about the pace. */
export interface PaceNews {
  /** When the request began, and when its answer arrived. */
  readonly startedAt: number;
  readonly now: number;
  /** The platform refused the request because there were too many. */
  readonly isRefused: boolean;
  readonly retryAfterMs: number | undefined;
  /** How many requests the platform's headers leave, and until when. */
  readonly quota: Quota | undefined;
}

export interface Quota {
  readonly remaining: number;
  readonly resetMs: number;
}

const smallestShare = 1 / 16;
/** Time in which the share grows from nothing to the whole. */
const recoveryMs = 60_000;
/** Longest stop of all calls of a connection. Only the refused call waits longer, as its `Retry-After` says. */
export const longestPauseMs = 20_000;
/** A quota for a longer time is used at the full rate. Spread evenly, it would keep each run waiting. */
const longestSpreadMs = 60_000;

/** Returns what is allowed now. Never more than the limits. */
export function allowedAt(
  pace: Pace,
  { requestsPerSecond, concurrency }: Pick<Limits, 'requestsPerSecond' | 'concurrency'>,
  now: number,
): { readonly perSecond: number; readonly concurrency: number } {
  const share = shareAt(pace, now);
  const perSecond = requestsPerSecond * share;
  const isQuotaKnown = now < pace.quotaUntil && pace.quota > 0;
  return {
    perSecond: isQuotaKnown ? Math.min(perSecond, pace.quota) : perSecond,
    concurrency: Math.max(1, Math.floor(concurrency * share)),
  };
}

/**
 * Returns the pace after an answer; the same object if it teaches nothing. A refusal halves the share, once for all
 * requests that were under way together.
 */
export function paceAfter(pace: Pace, { startedAt, now, isRefused, retryAfterMs = 0, quota }: PaceNews): Pace {
  let next = pace;
  if (isRefused) {
    const isNew = startedAt >= pace.at || pace.at > now;
    const share = isNew ? Math.max(smallestShare, shareAt(pace, now) / 2) : pace.share;
    next = paused({ ...next, ...(isNew ? { share, at: now } : {}) }, now, retryAfterMs);
  }
  if (quota === undefined) return next;
  const { remaining, resetMs } = quota;
  if (remaining <= 0) return paused(next, now, resetMs);
  if (resetMs <= 0 || resetMs > longestSpreadMs) return next;
  return { ...next, quota: (remaining * 1000) / resetMs, quotaUntil: now + resetMs };
}

function paused(pace: Pace, now: number, ms: number): Pace {
  const notBefore = now + Math.min(ms, longestPauseMs);
  // An earlier stop remains valid, unless the clock was set back.
  const isLater = notBefore > pace.notBefore || pace.notBefore > now + longestPauseMs;
  return isLater ? { ...pace, notBefore } : pace;
}

function shareAt({ share, at }: Pace, now: number): number {
  return Math.min(1, share + Math.max(0, now - at) / recoveryMs);
}
