import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PlatformError } from '../../src/core/run/errors.ts';
import { defaultDialect } from '../../src/core/run/settings.ts';
import { openLimiter } from '../../src/drivers/http/rate-limit.ts';
import { everyPage, itemsOf } from '../../src/platform/client/pages.ts';
import { classifyFileStatus } from '../../src/platform/user-file.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { neverAborted } from './test-client.ts';

/** When calls began, in ms of a clock that only their waiting moves. */
async function startsOf(requestsPerSecond: number, calls: number, concurrency = 4): Promise<number[]> {
  const clock = new FakeClock(0);
  const limiter = openLimiter({ requestsPerSecond, concurrency, timeoutMs: 1000 }, clock);
  const starts: number[] = [];
  const all = Array.from({ length: calls }, () => limiter.run(async () => void starts.push(clock.now()), neverAborted));
  await clock.drive(Promise.all(all));
  return starts;
}

describe('the rate of a connection', () => {
  it('never lets more calls begin in any second than allowed, and wastes none', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 40 }), async (rate, calls) => {
        const starts = await startsOf(rate, calls);
        for (const start of starts) {
          expect(starts.filter((other) => other >= start && other < start + 1000).length).toBeLessThanOrEqual(rate);
        }
        const windows = Math.ceil(calls / rate) - 1;
        expect(starts.at(-1)).toBeLessThanOrEqual(windows * 1000 + windows + calls);
      }),
      { numRuns: 25 },
    );
  });

  it('can be less than one a second', async () => {
    expect((await startsOf(0.5, 3)).map((start) => Math.round(start / 1000))).toEqual([0, 2, 4]);
  });

  it('goes on when the clock is put back an hour', async () => {
    const clock = new FakeClock(10 * 3_600_000);
    const limiter = openLimiter({ requestsPerSecond: 2, concurrency: 1, timeoutMs: 1000 }, clock);
    await limiter.run(async () => {}, neverAborted);
    await limiter.run(async () => {}, neverAborted);
    clock.jumpTo(9 * 3_600_000);
    await limiter.run(async () => {}, neverAborted);

    expect(clock.now()).toBe(9 * 3_600_000);
  });

  it('lets a caller give up while it waits for its turn', async () => {
    const clock = new FakeClock(0);
    const limiter = openLimiter({ requestsPerSecond: 1, concurrency: 1, timeoutMs: 1000 }, clock);
    await limiter.run(async () => {}, neverAborted);
    const controller = new AbortController();
    const waiting = limiter.run(async () => 'ran', controller.signal);
    await clock.advance(10);
    controller.abort(new Error('given up'));

    await expect(waiting).rejects.toThrow('given up');
    expect(clock.sleeping).toBe(0);
  });
});

describe('a platform that refuses a call', () => {
  it('is called half as often by all, after the stop that it asked for, and as often as before a minute later', async () => {
    const clock = new FakeClock(0);
    const limiter = openLimiter({ requestsPerSecond: 4, concurrency: 4, timeoutMs: 1000 }, clock);
    const startsAfter = async (calls: number): Promise<number[]> => {
      const from = clock.now();
      const starts: number[] = [];
      const call = () => limiter.run(async () => void starts.push(clock.now() - from), neverAborted);
      await clock.drive(Promise.all(Array.from({ length: calls }, call)));
      return starts.map((start) => Math.round(start / 1000));
    };
    const times = { startedAt: 0, now: 0 };
    limiter.learn({ ...times, isRefused: true, retryAfterMs: 3000, quota: undefined });

    expect((await startsAfter(6)).slice(0, 6)).toEqual([3, 3, 4, 4, 5, 5]);
    await clock.advance(60_000);
    expect(await startsAfter(8)).toEqual([0, 0, 0, 0, 1, 1, 1, 1]);
  });
});

describe('a list of pages', () => {
  const listOf = (items: readonly number[], size: number, total: boolean, first: 0 | 1 = 0) =>
    itemsOf(
      everyPage({ first }, async (page) => ({
        items: items.slice((page - first) * size, (page - first + 1) * size),
        total: total ? items.length : undefined,
      })),
    );

  it('gives every item once, with and without a total, from 0 and from 1', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.nat(), { maxLength: 30 }),
        fc.integer({ min: 1, max: 7 }),
        fc.boolean(),
        fc.constantFrom(0 as const, 1 as const),
        async (items, size, total, first) => {
          const all: number[] = [];
          for await (const item of listOf(items, size, total, first)) all.push(item);
          expect(all).toEqual(items);
        },
      ),
    );
  });

  it('without a total is not cut by a platform whose largest page is smaller than asked for', async () => {
    const all: number[] = [];
    const items = Array.from({ length: 130 }, (_, i) => i);
    const read = async (page: number) => ({ items: items.slice(page * 50, (page + 1) * 50), total: undefined });
    for await (const item of itemsOf(everyPage({ first: 0 }, read))) all.push(item);

    expect(all).toEqual(items);
  });

  it.each([
    { past: 404, ends: true },
    { past: 500, ends: false },
  ])('without a total a page past the end that is answered $past: ends $ends', async ({ past, ends }) => {
    const read = async (page: number) => {
      if (page === 0) return { items: [1, 2], total: undefined };
      throw new PlatformError('no', { code: 'PLATFORM_FAILED', effect: 'none', status: past, operation: 'GET /x' });
    };
    const walk = async (): Promise<number[]> => {
      const all: number[] = [];
      for await (const item of itemsOf(everyPage({ first: 0 }, read))) all.push(item);
      return all;
    };

    if (ends) expect(await walk()).toEqual([1, 2]);
    else await expect(walk()).rejects.toMatchObject({ status: past });
  });

  it('without a total ends when a page repeats itself', async () => {
    const all: number[] = [];
    for await (const item of itemsOf(everyPage({ first: 0 }, async () => ({ items: [1, 2], total: undefined }))))
      all.push(item);

    expect(all).toEqual([1, 2]);
  });

  it('with a total fails rather than to be cut', async () => {
    const read = async (page: number) => ({ items: page === 0 ? [1, 2] : [], total: 5 });
    const walk = async (): Promise<void> => {
      for await (const _item of itemsOf(everyPage({ first: 0 }, read)));
    };

    await expect(walk()).rejects.toMatchObject({ code: 'PLATFORM_ANSWER_INVALID' });
  });
});

describe('the status of a provisioning file', () => {
  it.each([
    ['Processed', { kind: 'done', text: 'Processed' }],
    ['  COMPLETED ', { kind: 'done', text: 'Completed' }],
    ['failed', { kind: 'failed', text: 'Failed' }],
    ['queued', { kind: 'pending', text: 'Queued', isKnown: true }],
    ['Half way', { kind: 'pending', text: 'unknown status', isKnown: false, raw: 'Half way' }],
    ['', { kind: 'pending', text: 'unknown status', isKnown: false, raw: '' }],
  ])('status %j is told by the lists of the dialect', (text, expected) => {
    expect(classifyFileStatus(text, defaultDialect.status)).toEqual(expected);
  });
});
