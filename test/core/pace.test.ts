import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allowedAt, fullPace, longestPauseMs, type Pace, type PaceNews, paceAfter } from '../../src/core/run/pace.ts';

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

  it('spreads the requests that headers leave over a short time, and stops when they leave none', () => {
    const news = { ...quiet, startedAt: 1000, now: 1000 };
    const spread = paceAfter(fullPace, { ...news, quota: { remaining: 10, resetMs: 5000 } });
    expect(allowedAt(spread, limits, 1000).perSecond).toBe(2);
    expect(allowedAt(spread, limits, 6000).perSecond).toBe(8);
    expect(paceAfter(fullPace, { ...news, quota: { remaining: 0, resetMs: 5000 } }).notBefore).toBe(6000);
    const forAnHour = paceAfter(fullPace, { ...news, quota: { remaining: 10, resetMs: 3_600_000 } });
    expect(allowedAt(forAnHour, limits, 1000).perSecond).toBe(8);
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
