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

/** Number of users that a scan requests per page, learned from earlier scans of this process. */
export interface PageSize {
  readonly size: number;
  /** Size of the last scan that was complete; 0 before the first. */
  readonly proven: number;
  /** Maximum page size to request. */
  readonly most: number;
}

const smallest = 10;
/** Pages that take longer than this are not enlarged (ms). */
const slowMs = 2000;

/** `size` is the first page size to request, and `most` the limit; a larger `size` is kept. */
export function firstPageSize(size: number, most: number): PageSize {
  return { size, proven: 0, most: Math.max(size, most) };
}

/**
 * Returns the size after the first page of a scan, which failed (undefined) or had this many rows of the total. A grown
 * size that fails, or brings fewer rows than the size before it, is given up.
 */
export function afterFirstPage(known: PageSize, page: { readonly rows: number; readonly total: number } | undefined) {
  const { size, proven } = known;
  const isGrown = proven > 0 && size > proven;
  const isGood = page !== undefined && page.rows >= Math.min(page.total, proven);
  return !isGrown || isGood ? known : { size: proven, proven, most: proven };
}

/** Returns the size after a complete scan whose pages had at most `rows` users and took at most `slowestMs`. */
export function afterScan(known: PageSize, rows: number, slowestMs: number): PageSize {
  const { size, most } = known;
  // Fewer rows than asked for: that is all the platform gives, or all that it has.
  if (rows < size || slowestMs > slowMs) return { size, proven: size, most };
  return { size: Math.min(size * 2, most), proven: size, most };
}

/** Returns the size after a scan that ended because a page was too large for the platform or for its gateway. */
export function afterBreakdown({ size }: PageSize): PageSize {
  const half = Math.min(size, Math.max(smallest, Math.floor(size / 2)));
  return { size: half, proven: 0, most: half };
}
