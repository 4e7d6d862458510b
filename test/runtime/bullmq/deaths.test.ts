import { describe, expect, it } from 'vitest';
import { expectPromisesKept } from '../../chaos/kill-world.ts';
import { isLongForm } from '../../chaos/long-form.ts';
import { employees } from '../../support/office.ts';
import { until } from '../../support/services/redis.ts';
import { type RedisSpace, startRedisService } from '../../support/services/redis-service.ts';
import { closeAfterAll, openWorld } from './with-redis.ts';

closeAfterAll();

const service = await startRedisService('workers that are killed');
const newSpace = async (): Promise<RedisSpace> => (await service?.newSpace()) ?? expect.fail('there is no Redis');
const people = employees(9);
const kills = isLongForm ? 5 : 2;
/** The lock's life, two looks for stalled jobs, one for the lease, and the rest of the run. */
const recoveryMs = 15_000;

describe.skipIf(service === undefined)('workers that are killed', () => {
  it('are replaced within seconds: another one brings the run to its end, and nothing happens twice', async () => {
    const redis = await newSpace();
    const world = await openWorld({ redis: redis.url, employees: people, sync: { batchRows: 3 } });
    const first = world.replica({ die: { at: 'checkpoint', n: 5 } });
    await first.line('ready');
    await world.ask();
    await first.ended;
    const diedAt = Date.now();
    const second = world.replica();
    const [run] = await world.ended(1);
    const tookMs = Date.now() - diedAt;
    process.stderr.write(`recovered from kill -9 and finished in ${tookMs} ms\n`);
    expect(tookMs).toBeLessThan(recoveryMs);
    expect(run?.outcome).toBe('succeeded');
    second.process.kill('SIGTERM');
    expect(await second.ended).toMatchObject({ code: 0, errors: '' });
    await expectPromisesKept(world, people);
  });

  it('do not make the job fail, however many follow each other', async () => {
    const redis = await newSpace();
    const world = await openWorld({ redis: redis.url, employees: people, sync: { batchRows: 9 } });
    const first = world.replica({ die: { at: 'checkpoint', n: 2 } });
    await first.line('ready');
    await world.ask();
    expect((await first.ended).signal).toBe('SIGKILL');
    for (let i = 1; i < kills; i += 1) {
      const replica = world.replica({ die: { at: 'checkpoint', n: 1 } });
      expect((await replica.ended).signal).toBe('SIGKILL');
    }
    const last = world.replica();
    const [run] = await world.ended(1);
    expect(run?.outcome).toBe('succeeded');
    last.process.kill('SIGTERM');
    await last.ended;
    await expectPromisesKept(world, people);
  }, 60_000);

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
    expect(tookMs).toBeLessThan(5000);
    const [run] = await world.ended(1);
    expect(run?.outcome).toBe('succeeded');
    second.process.kill('SIGTERM');
    await second.ended;
    await expectPromisesKept(world, people);
  }, 60_000);

  it(
    'leave the rest to the others, at whatever checkpoint one of three is killed',
    async () => {
      const redis = await newSpace();
      const kill = async (n: number): Promise<void> => {
        const where = { url: redis.url, prefix: `kill-${n}` };
        const world = await openWorld({ redis: where, employees: people, sync: { batchRows: 5 } });
        const doomed = world.replica({ die: { at: 'checkpoint', n } });
        await doomed.line('ready');
        await world.ask();
        const others = [world.replica(), world.replica()];
        const [run] = await world.ended(1, 50_000);
        expect(run?.outcome, `killed at checkpoint ${n}`).toBe('succeeded');
        for (const { process } of [doomed, ...others]) process.kill('SIGTERM');
        for (const other of others) expect(await other.ended).toMatchObject({ code: 0, errors: '' });
        await expectPromisesKept(world, people);
        await world.close();
      };
      const places = isLongForm ? Array.from({ length: 24 }, (_, i) => i + 1) : [1, 4, 9];
      for (let i = 0; i < places.length; i += 3) await Promise.all(places.slice(i, i + 3).map(kill));
    },
    isLongForm ? 1_200_000 : 60_000,
  );
});
