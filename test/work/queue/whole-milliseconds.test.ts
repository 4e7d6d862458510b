import { Worker } from 'bullmq';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDuration } from '../../../src/core/run/formats.ts';
import { openRedis, type RedisClient } from '../../../src/drivers/redis/open-redis.ts';
import type { Clock } from '../../../src/ports/runtime.ts';
import type { Leases } from '../../../src/ports/store.ts';
import { holdLease } from '../../../src/run/lease.ts';
import { firstPiece } from '../../../src/work/queue/job.ts';
import { stalledCheckOf } from '../../../src/work/queue/open-worker.ts';
import { openRedisBudget } from '../../../src/work/queue/redis-budget.ts';
import { until } from '../../support/services/redis.ts';
import { openBench } from './bench.ts';
import { closeAfterAll, redisOrSkip } from './with-redis.ts';

closeAfterAll();

const program = await redisOrSkip('jobs of dead workers with any workers.lock');

/** Any duration that a configuration can name. */
const duration = fc
  .tuple(fc.integer({ min: 1, max: 999_999 }), fc.constantFrom('ms', 's', 'm', 'h', 'd'))
  .map(([amount, unit]) => `${amount}${unit}`);

describe('durations that leave the process', () => {
  it('are whole milliseconds, whatever duration the configuration has', async () => {
    await fc.assert(
      fc.asyncProperty(duration, async (text) => {
        const ms = parseDuration(text) ?? Number.NaN;
        const given: number[] = [ms, stalledCheckOf(ms)];
        const clock: Clock = {
          now: () => 0,
          sleep: async (waitMs) => {
            given.push(waitMs);
            throw new Error('the lease is released');
          },
        };
        const leases = {
          take: async (name: string, owner: string, ttlMs: number) => {
            given.push(ttlMs);
            return { name, owner, fence: 1 };
          },
          release: async () => {},
        } as unknown as Leases;
        const request = { name: 'run', owner: 'us', ttlMs: ms };
        await (await holdLease(request, { leases, clock }, new AbortController().signal))?.release();
        expect(given.every(Number.isSafeInteger), given.join()).toBe(true);
      }),
    );
  });

  it('are whole milliseconds in the shared rate budget, whatever rate a connection has', async () => {
    const rate = fc.double({ min: 0.01, max: 1000, noNaN: true });
    const instant = fc.double({ min: 0, max: 1e12, noNaN: true });
    await fc.assert(
      fc.asyncProperty(rate, instant, async (perSecond, at) => {
        const calls: unknown[][] = [];
        const client = {
          eval: async (...words: unknown[]) => {
            calls.push(words);
            return [0, 1];
          },
        } as unknown as RedisClient;
        const clock: Clock = { now: () => 1_000_000, sleep: () => new Promise<void>(() => {}) };
        const budget = openRedisBudget({
          ...{ client, clock, prefix: 'q', connection: 'acme', member: 'us' },
          limits: { requestsPerSecond: perSecond, concurrency: 1, timeoutMs: 1000 },
          openLocal: () => expect.fail('Redis answers'),
          onError: (error) => expect.fail(String(error)),
        });
        await budget.take(perSecond);
        budget.learn({ share: 0.5, at, notBefore: at, quota: 2.5, quotaUntil: at });
        const [take = [], learn = []] = calls;
        const [burst, windowMs, , , memberMs] = take.slice(5);
        const [, atMs, pauseMs, , quotaMs, paceMs] = learn.slice(3);
        const given = [burst, windowMs, memberMs, atMs, pauseMs, quotaMs, paceMs];
        expect(given.every(Number.isSafeInteger), given.join()).toBe(true);
      }),
    );
  });
});

describe.skipIf(program === undefined)('the job of a dead worker', () => {
  it('is taken by another worker when a third of workers.lock is no whole millisecond', async () => {
    const ran: string[] = [];
    const bench = await openBench(
      program ?? '',
      { lockMs: 1001 },
      async (name) => {
        ran.push(name);
        return { kind: 'done' };
      },
      {
        prepare: async ({ queue, settings }) => {
          await queue.add(firstPiece('run_1'), 1);
          const connection = openRedis(settings, 'worker', () => {});
          const dead = new Worker('runs', null, { connection, prefix: '{q}', skipVersionCheck: true });
          await dead.getNextJob('its lock');
          await dead.close();
          connection.disconnect();
        },
      },
    );
    await bench.redis.command('DEL', '{q}:runs:run_1_0:lock');
    await until(async () => ran.length === 1);
    expect(bench.logger.messages('error')).toEqual([]);
  });
});
