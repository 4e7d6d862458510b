import { describe, expect, it } from 'vitest';
import { expectPromisesKept } from '../../chaos/kill-world.ts';
import { employees } from '../../support/office.ts';
import { until } from '../../support/services/redis.ts';
import { type RedisSpace, startRedisService } from '../../support/services/redis-service.ts';
import { slowly } from '../../support/slowness.ts';
import { closeAfterAll, openWorld } from './with-redis.ts';

closeAfterAll();

const service = await startRedisService('workers that are killed');
const newSpace = async (): Promise<RedisSpace> => (await service?.newSpace()) ?? expect.fail('there is no Redis');
const people = employees(9);

describe.skipIf(service === undefined)('workers that are killed', () => {
  it('hand over at once when they are asked to end between two calls', async () => {
    const redis = await newSpace();
    const world = await openWorld({
      redis: redis.url,
      employees: people,
      sync: { delivery: 'direct', policy: 'upsert-only' },
      limits: { requestsPerSecond: 5 },
    });
    const first = world.replica();
    await first.line('ready');
    await world.ask();
    await until(async () => world.sandbox.state.log.length > 1);
    const second = world.replica();
    await second.line('ready');
    const askedAt = Date.now();
    first.process.kill('SIGTERM');
    expect(await first.ended).toMatchObject({ code: 0, errors: '' });
    const tookMs = Date.now() - askedAt;
    process.stderr.write(`ended in the middle of a batch within ${tookMs} ms\n`);
    // Not the ten seconds of a lease, nor those of a lock.
    expect(tookMs).toBeLessThan(slowly(10_000));
    const [run] = await world.ended(1);
    expect(run?.outcome).toBe('succeeded');
    second.process.kill('SIGTERM');
    await second.ended;
    await expectPromisesKept(world, people);
  });
});
