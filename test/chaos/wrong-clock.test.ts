import { describe, expect, it } from 'vitest';
import { drawFrom } from '../support/drawn.ts';
import { employees } from '../support/office.ts';
import { until } from '../support/services/redis.ts';
import { startPostgres, startRedisService } from '../support/services.ts';
import { closeAfterAll, openWorld, recoveryMs } from '../work/queue/with-redis.ts';
import { expectPromisesKept } from './kill-world.ts';

closeAfterAll();

const postgres = await startPostgres();
const service = await startRedisService('workers whose clocks are wrong');
const people = employees(6);
/** Far more than a recovery takes, even beside other tests. */
const wrongMs = 600_000;
/** Both of them in a long run. */
const clocks = drawFrom(
  [
    ['ahead', wrongMs],
    ['behind', -wrongMs],
  ] as const,
  2,
);

describe.skipIf(postgres === undefined || service === undefined)('a worker whose clock is ten minutes wrong', () => {
  const openWrongWorld = async () =>
    openWorld({
      redis: (await service?.newSpace())?.url,
      store: (await postgres?.newStore()) ?? expect.fail('there is no PostgreSQL'),
      employees: people,
      sync: { batchRows: 3 },
    });

  it.each(clocks)('(%s) and that is killed keeps its run no longer than another one', async (_, aheadMs) => {
    const world = await openWrongWorld();
    const wrong = world.replica({ aheadMs, die: { at: 'checkpoint', n: 9 } });
    await wrong.line('ready');
    await world.ask();
    expect((await wrong.ended).signal).toBe('SIGKILL');
    const right = world.replica({ aheadMs: 0 });
    const [run] = await world.ended(1, recoveryMs);
    expect(run).toMatchObject({ outcome: 'succeeded', counts: { applied: people.length, repeated: 0 } });
    right.process.kill('SIGTERM');
    expect(await right.ended).toMatchObject({ code: 0, errors: '' });
    await expectPromisesKept(world, people);
  });

  it.each(clocks)('(%s) does its runs to the end, alone and beside a right one', async (_, aheadMs) => {
    const world = await openWrongWorld();
    const replicas = [world.replica({ aheadMs })];
    await replicas[0]?.line('ready');
    await world.ask();
    await until(async () => world.sandbox.state.files.size > 0, 60_000);
    const right = world.replica({ aheadMs: 0 });
    await right.line('ready');
    replicas.push(right);
    const [run] = await world.ended(1, recoveryMs);
    expect(run).toMatchObject({ outcome: 'succeeded', counts: { applied: people.length, repeated: 0 } });
    for (const { process } of replicas) process.kill('SIGTERM');
    for (const { ended } of replicas) expect(await ended).toMatchObject({ code: 0, errors: '' });
    await expectPromisesKept(world, people);
  });
});
