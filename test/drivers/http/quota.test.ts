import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readQuota } from '../../../src/drivers/http/wait-headers.ts';

const now = Date.UTC(2026, 10, 22, 12);
const read = (headers: Readonly<Record<string, string>>) => readQuota((name) => headers[name], now);

describe('what a server leaves', () => {
  it.each([
    [{ ratelimit: '"default";r=50;t=30' }, 50, 30_000],
    [{ ratelimit: '"burst";r=90;t=60, "daily";r=1;t=30' }, 1, 30_000],
    [{ ratelimit: 'limit=100, remaining=50, reset=5' }, 50, 5000],
    [{ 'ratelimit-limit': '100', 'ratelimit-remaining': '0', 'ratelimit-reset': '7' }, 0, 7000],
    [{ 'x-ratelimit-remaining': '3', 'x-ratelimit-reset': '9' }, 3, 9000],
    [{ 'x-ratelimit-remaining': '3', 'x-ratelimit-reset': String(now / 1000 + 4) }, 3, 4000],
    [{ 'x-ratelimit-remaining': '3', 'x-ratelimit-reset': String(now + 2500) }, 3, 2500],
    [{ 'x-ratelimit-remaining': '3', 'x-ratelimit-reset': String(now / 1000 - 4) }, 3, 0],
  ])('%j', (headers, remaining, resetMs) => {
    expect(read(headers)).toEqual({ remaining, resetMs });
  });

  it.each([
    [{}],
    [{ ratelimit: '"default";r=50' }],
    [{ ratelimit: 'soon' }],
    [{ 'ratelimit-remaining': '5' }],
    [{ 'ratelimit-remaining': '-5', 'ratelimit-reset': '5' }],
    [{ 'ratelimit-remaining': '5', 'ratelimit-reset': '999999999' }],
  ])('%j says nothing', (headers) => {
    expect(read(headers as Record<string, string>)).toBeUndefined();
  });

  it('is bounded, whatever the headers say', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (one, two, three) => {
        for (const headers of [
          { ratelimit: one },
          { 'ratelimit-remaining': two, 'ratelimit-reset': three },
          { 'x-ratelimit-remaining': two, 'x-ratelimit-reset': three },
        ]) {
          const quota = read(headers);
          if (quota === undefined) continue;
          expect(quota.remaining).toBeGreaterThanOrEqual(0);
          expect(quota.resetMs).toBeGreaterThanOrEqual(0);
          expect(quota.resetMs).toBeLessThanOrEqual(86_400_000);
        }
      }),
    );
  });
});
