import { expect, it } from 'vitest';
import { exportOrQueue } from '../../../src/app/connections.ts';
import { openHere } from '../../chaos/open-here.ts';
import { SharedClock } from '../../chaos/shared-clock.ts';
import { openExportingWorld } from '../../support/exporting.ts';
import { silentLogger } from '../../support/memory-logger.ts';
import { startRedisService } from '../../support/services/redis-service.ts';
import { closeAfterAll, everythingIn, startHere } from './with-redis.ts';

closeAfterAll();

const service = await startRedisService('exports over Redis');
const minuteMs = 60_000;

it.skipIf(service === undefined)(
  'a slot that was missed is made up for over Redis by two workers, each item once; Redis gets the name alone',
  { timeout: 60_000 },
  async () => {
    const redis = (await service?.newSpace()) ?? expect.fail('there is no Redis');
    const clock = new SharedClock({ anchor: Date.now(), speed: 1 });
    const world = await openExportingWorld(() => clock.now(), undefined);
    await world.configure(
      { schedule: { cron: '* * * * *' }, comments: true, people: 'full' },
      {},
      { redis: redis.url },
    );
    const name = 'feedback-jsonl';
    const here = await openHere(world.config, { clock, logger: silentLogger });
    const { exports } = here.engine.io.store;
    await exports.request({ name, at: clock.now(), slotAt: clock.now() - 3 * minuteMs });
    await exportOrQueue(here.app, name, { by: 'tests', signal: AbortSignal.timeout(30_000) });
    const before = (await exports.list()).find((one) => one.name === name);
    await here.app.close();
    world.addFeedback(clock.now() - 2000, clock.now() - 1000);

    const deployments = await Promise.all([startHere({ ...world, clock }), startHere({ ...world, clock }, 'worker')]);
    const state = async () => (await deployments[0].engine.io.store.exports.list()).find((one) => one.name === name);
    let seen = '';
    await expect
      .poll(
        async () => {
          seen += await everythingIn(redis);
          return (await state())?.items;
        },
        { timeout: 30_000, interval: 50 },
      )
      .toBe(2);
    await expect.poll(async () => (await state())?.requestedAt, { timeout: 20_000 }).toBeUndefined();
    expect((await state())?.slotAt).toBeGreaterThan(before?.slotAt ?? 0);
    for (const { stop } of deployments) await stop();
    expect([...(await world.written('feedback', 'jsonl'))].sort()).toEqual(['1', '2']);
    expect(seen).toContain(name);
    for (const secret of ['A1', 'Ana', 'private', world.sandbox.accessToken]) expect(seen).not.toContain(secret);
  },
);
