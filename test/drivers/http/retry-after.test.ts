import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRetryAfter } from '../../../src/drivers/http/wait-headers.ts';

const now = Date.UTC(2026, 10, 25, 12);
const minuteMs = 60_000;
/** The clock of the server is an hour behind ours. */
const serverNow = now - 60 * minuteMs;
const httpDate = (at: number): string => new Date(at).toUTCString();

function read(text: string, date?: string): number | undefined {
  const headers: Readonly<Record<string, string | undefined>> = { 'retry-after': text, date };
  return readRetryAfter((name) => headers[name], now);
}

describe('Retry-After', () => {
  it.each([
    ['120', 120_000],
    [' 7 ', 7000],
    ['0', 0],
    ['1.5', 1500],
    ['30, 30', 30_000],
    ['30,60', 60_000],
    ['86400', 3_600_000],
    [httpDate(now + 5 * minuteMs), 5 * minuteMs],
    [`${httpDate(now + minuteMs)}, ${httpDate(now + minuteMs)}`, minuteMs],
    [`${httpDate(now + minuteMs)}, 90`, 90_000],
    ['Wednesday, 25-Nov-26 12:02:00 GMT', 2 * minuteMs],
    ['Wed Nov 25 12:03:00 2026', 3 * minuteMs],
    [`${(now + 20_000) / 1000}`, 20_000],
    [`${now + 20_000}`, 20_000],
  ])('"%s" is a wait of %i ms', (text, waitMs) => {
    expect(read(text)).toBe(waitMs);
  });

  it.each(['', '-5', 'soon', 'Wed', '1e3', '12 seconds', httpDate(now - minuteMs), `${now / 1000 - 60}`, 'NaN', ','])(
    '"%s" is no wait, so the caller backs off',
    (text) => {
      expect(read(text)).toBeUndefined();
    },
  );

  it('as an instant is compared with the date of the answer, not with our clock', () => {
    expect(read(httpDate(serverNow + minuteMs), httpDate(serverNow))).toBe(minuteMs);
    expect(read(`${(serverNow + 30_000) / 1000}`, httpDate(serverNow))).toBe(30_000);
    expect(read(httpDate(serverNow - minuteMs), httpDate(serverNow))).toBeUndefined();
    expect(read(httpDate(now + minuteMs), 'not a date')).toBe(minuteMs);
  });

  it('is never negative and never unbounded, whatever it says', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (text, date) => {
        const waitMs = read(text, date);
        expect(waitMs === undefined || (waitMs >= 0 && waitMs <= 3_600_000)).toBe(true);
      }),
    );
  });
});
