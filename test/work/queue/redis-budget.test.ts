import { describe, expect, it } from 'vitest';
import { checkAll } from '../../../src/app/connections.ts';
import { fullPace } from '../../../src/core/run/pace.ts';
import { openLocalBudget } from '../../../src/drivers/http/rate-limit.ts';
import { closeRedis, openRedis } from '../../../src/drivers/redis/open-redis.ts';
import { silentLogger } from '../../../src/ports/runtime.ts';
import { openRedisBudget } from '../../../src/work/queue/redis-budget.ts';
import { openHere } from '../../chaos/open-here.ts';
import { SharedClock } from '../../chaos/shared-clock.ts';
import type { RedisServer } from '../../support/services/redis.ts';
import { slowly } from '../../support/slowness.ts';
import { closeAfterAll, everythingIn, openRedisServer, openWorld, redisOrSkip, runAfterAll } from './with-redis.ts';

closeAfterAll();

const program = await redisOrSkip('the shared rate budget');
const rate = 20;

/** The most that began within a second. */
function mostPerSecond(instants: readonly number[]): number {
  const sorted = instants.toSorted((a, b) => a - b);
  return Math.max(0, ...sorted.map((from, i) => sorted.slice(i).filter((at) => at < from + 1000).length));
}

const ignore = (_error: unknown): void => {};

/** What so many processes share, each with a client of its own. `behindMs`: how far the clock of each one is behind the first. */
function openMembers(redis: RedisServer, count: number, { behindMs = 0, onError = ignore } = {}) {
  const settings = { kind: 'single', host: '127.0.0.1', port: redis.port, db: 0, prefix: 'x' } as const;
  const limits = { requestsPerSecond: rate, concurrency: 2, timeoutMs: 1000 };
  return Array.from({ length: count }, (_, at) => {
    const clock = new SharedClock({ anchor: Date.now() - at * behindMs, speed: 1 });
    const client = openRedis(settings, 'budget', () => {});
    runAfterAll(async () => closeRedis(client));
    const parts = { client, prefix: '{x}', connection: 'acme', limits, clock, member: `process ${at}`, onError };
    return { clock, ...openRedisBudget({ ...parts, openLocal: (share) => openLocalBudget(share, clock) }) };
  });
}

describe.skipIf(program === undefined)('a rate budget that processes share', () => {
  it('is one budget: four of them together begin no more than one may', async () => {
    const redis = await openRedisServer(program ?? '');
    const begun: number[] = [];
    const spend = async ({ clock, take }: ReturnType<typeof openMembers>[number]): Promise<void> => {
      for (const until = clock.now() + slowly(4000); clock.now() < until; begun.push(clock.now())) {
        await clock.sleep(await take(rate));
      }
    };
    await Promise.all(openMembers(redis, 4).flatMap((member) => [spend(member), spend(member)]));
    const lastedMs = Math.max(...begun) - Math.min(...begun);
    expect(begun.length).toBeLessThanOrEqual((rate * lastedMs) / 1000 + rate);
    expect(begun.length).toBeGreaterThan(rate * 3);
    // A start is given exactly; on a busy machine it is made a little later, and the next one in time.
    expect(mostPerSecond(begun)).toBeLessThanOrEqual(rate * Math.max(1.5, slowly(1)));
  });

  it('shares what one process has learned from the platform', async () => {
    const redis = await openRedisServer(program ?? '');
    const [one, two] = openMembers(redis, 2, { behindMs: 3_600_000 });
    if (one === undefined || two === undefined) throw new Error('two budgets are needed');
    await two.take(rate);
    expect(two.pace()).toEqual(fullPace);
    const now = one.clock.now();
    one.learn({ share: 0.5, at: now, notBefore: now + 60_000, quota: 2.5, quotaUntil: now + 90_000 });
    await one.take(rate);
    await two.take(rate);
    const { share, quota, notBefore, quotaUntil } = two.pace();
    expect({ share, quota }).toEqual({ share: 0.5, quota: 2.5 });
    expect(notBefore - two.clock.now()).toBeGreaterThan(30_000);
    expect(notBefore - two.clock.now()).toBeLessThanOrEqual(60_000);
    expect(quotaUntil - notBefore).toBe(30_000);
  });

  it('is what a configured connection spends', async () => {
    const redis = await openRedisServer(program ?? '');
    const world = await openWorld({ redis: redis.url, employees: [] });
    const { app } = await openHere(world.config, { clock: world.clock, logger: silentLogger });
    for await (const line of checkAll(app, 'acme', AbortSignal.timeout(60_000))) expect(line.subject).not.toBe('');
    expect(await everythingIn(redis)).toContain(':budget:acme:starts');
    await app.close();
  });

  it('becomes a small share each when Redis is away, and is one again when it is back', async () => {
    const redis = await openRedisServer(program ?? '');
    const errors: unknown[] = [];
    const members = openMembers(redis, 4, { onError: (error) => void errors.push(error) });
    // Each twice: the first one asks when it does not know of the last.
    for (const { take } of [...members, ...members]) await take(rate);
    expect(errors).toEqual([]);
    await redis.kill();
    const waits = await Promise.all(
      members.map(async ({ take }) => {
        const each = [];
        for (let i = 0; i < 11; i += 1) each.push(await take(rate));
        return each;
      }),
    );
    for (const each of waits) {
      expect(each.filter((waitMs) => waitMs < 900)).toEqual([]);
      expect(each.filter((waitMs) => waitMs < 1900)).toHaveLength(rate / members.length);
    }
    expect(errors.length).toBeGreaterThan(0);
  });
});
