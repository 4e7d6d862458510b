import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  afterBreakdown,
  afterFirstPage,
  afterScan,
  allowedAt,
  firstPageSize,
  fullPace,
  longestPauseMs,
  type Pace,
  type PaceNews,
  paceAfter,
} from '../../src/core/run/pace.ts';

const limits = { requestsPerSecond: 8, concurrency: 4 };
const quiet = { isRefused: false, retryAfterMs: undefined, quota: undefined };
const refusal = (now: number, startedAt = now, retryAfterMs?: number): PaceNews => ({
  ...quiet,
  now,
  startedAt,
  isRefused: true,
  retryAfterMs,
});

describe('the pace of a connection', () => {
  it('is the whole limit at first, half of it after a refusal, and grows back within a minute', () => {
    expect(allowedAt(fullPace, limits, 1000)).toEqual({ perSecond: 8, concurrency: 4 });
    const slow = paceAfter(fullPace, refusal(1000));
    expect(allowedAt(slow, limits, 1000)).toEqual({ perSecond: 4, concurrency: 2 });
    expect(allowedAt(slow, limits, 16_000)).toEqual({ perSecond: 6, concurrency: 3 });
    expect(allowedAt(slow, limits, 61_000)).toEqual({ perSecond: 8, concurrency: 4 });
  });

  it('is halved once for requests that were under way together', () => {
    const slow = paceAfter(fullPace, refusal(1000));
    expect(allowedAt(paceAfter(slow, refusal(1000, 999)), limits, 1000).perSecond).toBe(4);
    expect(allowedAt(paceAfter(slow, refusal(1000, 1000)), limits, 1000).perSecond).toBe(2);
  });

  it('stops all calls for Retry-After, but never for long', () => {
    expect(paceAfter(fullPace, refusal(1000, 1000, 5000)).notBefore).toBe(6000);
    expect(paceAfter(fullPace, refusal(1000, 1000, 3_600_000)).notBefore).toBe(1000 + longestPauseMs);
    const longer = paceAfter(fullPace, refusal(1000, 1000, 5000));
    expect(paceAfter(longer, refusal(2000, 2000, 1000)).notBefore).toBe(6000);
  });

  const news = fc.record({
    afterMs: fc.integer({ min: -100_000, max: 100_000 }),
    tookMs: fc.nat(40_000),
    isRefused: fc.boolean(),
    retryAfterMs: fc.option(fc.nat(3_600_000), { nil: undefined }),
    quota: fc.option(fc.record({ remaining: fc.nat(1000), resetMs: fc.nat(120_000) }), { nil: undefined }),
  });

  it('never exceeds the limits, never stands still for long, and is whole again a minute after the last trouble', () => {
    fc.assert(
      fc.property(fc.array(news, { maxLength: 30 }), (all) => {
        let now = 10_000_000;
        let pace: Pace = fullPace;
        for (const { afterMs, tookMs, ...said } of all) {
          now += afterMs;
          const before = pace;
          pace = paceAfter(pace, { ...said, startedAt: now - tookMs, now });
          const { perSecond, concurrency } = allowedAt(pace, limits, now);
          expect(perSecond).toBeGreaterThan(0);
          expect(perSecond).toBeLessThanOrEqual(limits.requestsPerSecond);
          expect(concurrency).toBeGreaterThanOrEqual(1);
          expect(concurrency).toBeLessThanOrEqual(limits.concurrency);
          if (!said.isRefused && said.quota === undefined) expect(pace).toBe(before);
          if (said.isRefused)
            expect(pace.notBefore).toBeLessThanOrEqual(Math.max(before.notBefore, now + longestPauseMs));
        }
        const later = Math.max(now, pace.at, pace.quotaUntil) + 60_000;
        expect(allowedAt(pace, limits, later)).toEqual({ perSecond: 8, concurrency: 4 });
      }),
    );
  });
});

describe('the headers of a quota', () => {
  const news = { ...quiet, startedAt: 1000, now: 1000 };
  const withQuota = (remaining: number, resetMs: number) =>
    paceAfter(fullPace, { ...news, quota: { remaining, resetMs } });

  it('are spread up to a minute, and not beyond it or without a time', () => {
    expect(allowedAt(withQuota(60, 60_000), limits, 1000).perSecond).toBe(1);
    expect(withQuota(60, 60_001)).toBe(fullPace);
    expect(withQuota(60, 0)).toBe(fullPace);
    expect(withQuota(60, -5)).toBe(fullPace);
    expect(withQuota(0, 5000).notBefore).toBe(6000);
  });

  it('count until their time is over', () => {
    const spread = withQuota(10, 5000);
    expect(allowedAt(spread, limits, 5999).perSecond).toBe(2);
    expect(allowedAt(spread, limits, 6000).perSecond).toBe(8);
    expect(allowedAt({ ...spread, quota: 0 }, limits, 1000).perSecond).toBe(8);
  });

  it('a stop is not made shorter, unless the clock was put back', () => {
    const stopped = paceAfter(fullPace, refusal(1000, 1000, 5000));
    expect(paceAfter(stopped, refusal(1000, 999, 5000))).toMatchObject({ notBefore: 6000 });
    const ahead = { ...fullPace, notBefore: 1000 + longestPauseMs };
    expect(paceAfter(ahead, refusal(1000, 1000, 1)).notBefore).toBe(1000 + longestPauseMs);
    const farAhead = { ...fullPace, notBefore: 1001 + longestPauseMs };
    expect(paceAfter(farAhead, refusal(1000, 1000, 1)).notBefore).toBe(1001);
  });

  it('a refusal that comes after the clock was put back counts', () => {
    const later = { ...paceAfter(fullPace, refusal(9000)), at: 9000 };
    expect(allowedAt(paceAfter(later, refusal(2000, 1000)), limits, 2000).perSecond).toBe(2);
  });
});

describe('the page size of scans', () => {
  it('doubles after each quick scan, up to the limit', () => {
    const first = firstPageSize(100, 350);
    const second = afterScan(first, 100, 300);
    const third = afterScan(second, 200, 300);
    expect([first.size, second.size, third.size, afterScan(third, 350, 300).size]).toEqual([100, 200, 350, 350]);
  });

  it('stays where pages are slow, or not full, or may not grow', () => {
    expect(afterScan(firstPageSize(100, 800), 100, 2001).size).toBe(100);
    expect(afterScan(firstPageSize(100, 800), 50, 10).size).toBe(100);
    expect(afterScan(firstPageSize(100, 100), 100, 10).size).toBe(100);
    expect(firstPageSize(500, 100)).toMatchObject({ size: 500, most: 500 });
  });

  it('goes back to the size before where a grown one fails or brings fewer users, and stays there', () => {
    const grown = afterScan(firstPageSize(100, 800), 100, 10);
    for (const page of [undefined, { rows: 10, total: 5000 }]) {
      const back = afterFirstPage(grown, page);
      expect(back.size).toBe(100);
      expect(afterScan(back, 100, 10).size).toBe(100);
    }
    expect(afterFirstPage(grown, { rows: 150, total: 5000 })).toBe(grown);
    expect(afterFirstPage(grown, { rows: 30, total: 30 })).toBe(grown);
    const first = firstPageSize(100, 800);
    expect(afterFirstPage(first, undefined)).toBe(first);
  });

  it('is never above the limit and never below 10, or the size that was configured', () => {
    const event = fc.oneof(
      fc.record({ kind: fc.constant('scan' as const), rows: fc.nat(3000), slowestMs: fc.nat(4000) }),
      fc.record({ kind: fc.constant('page' as const), rows: fc.nat(3000), total: fc.nat(3000) }),
      fc.record({ kind: fc.constantFrom('failed' as const, 'breakdown' as const) }),
    );
    const size = fc.integer({ min: 1, max: 2000 });
    fc.assert(
      fc.property(size, size, fc.array(event, { maxLength: 30 }), (configured, most, events) => {
        let known = firstPageSize(configured, most);
        for (const one of events) {
          if (one.kind === 'scan') known = afterScan(known, one.rows, one.slowestMs);
          else if (one.kind === 'breakdown') known = afterBreakdown(known);
          else known = afterFirstPage(known, one.kind === 'page' ? one : undefined);
          expect(known.size).toBeLessThanOrEqual(Math.max(configured, most));
          expect(known.size).toBeGreaterThanOrEqual(Math.min(configured, 10));
        }
      }),
    );
  });
});
