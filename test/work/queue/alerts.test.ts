import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { until } from '../../support/services/redis.ts';
import { startRedisService } from '../../support/services/redis-service.ts';
import { openReceiver } from '../../watch/alerts/receiver.ts';
import { closeAfterAll, openWorld, startHere } from './with-redis.ts';

closeAfterAll();
const service = await startRedisService('alerts over Redis');

it.skipIf(service === undefined)(
  'two schedulers tell once what failed in a worker, and once that it is over',
  async () => {
    const redis = (await service?.newSpace()) ?? expect.fail('there is no Redis');
    const world = await openWorld({ redis: redis.url, employees: [] });
    const receiver = await openReceiver();
    const config: object = JSON.parse(await readFile(world.config, 'utf8'));
    const alerts = [{ kind: 'webhook', url: receiver.url }];
    await writeFile(world.config, JSON.stringify({ ...config, alerts }));
    await writeFile(join(dirname(world.config), 'employees.csv'), 'nonsense\n');
    const roles = ['scheduler', 'scheduler', 'worker'] as const;
    const deployments = await Promise.all(roles.map((role) => startHere(world, role)));
    const told = () => receiver.received.map((one) => one.json<{ title: string }>().title);

    await world.ask();
    await until(async () => receiver.received.length > 0, 20_000);
    await world.writeEmployees([{ id: 'E1', first: 'Ana', last: 'Díaz', mail: 'ana@example.com', status: 'active' }]);
    await world.ask();
    await until(async () => receiver.received.length > 1, 20_000);
    for (const deployment of deployments) await deployment.stop();

    expect(told()).toEqual([
      'CRITICAL sync people: the run failed: the source cannot be read',
      'RECOVERED sync people: runs succeed again',
    ]);
  },
);

it.skipIf(service === undefined)('a worker tells that a sync is late when no scheduler is there to tell', async () => {
  const redis = (await service?.newSpace()) ?? expect.fail('there is no Redis');
  const world = await openWorld({ redis: redis.url, employees: [], sync: { freshness: '1m' } });
  const receiver = await openReceiver();
  const config: object = JSON.parse(await readFile(world.config, 'utf8'));
  await writeFile(world.config, JSON.stringify({ ...config, alerts: [{ kind: 'webhook', url: receiver.url }] }));
  const worker = await startHere(world, 'worker');
  const subject = { kind: 'sync', name: 'people' } as const;
  await until(async () => (await worker.engine.io.store.alerts.state(subject)) !== undefined, 20_000);
  world.clock.jump(6 * 60_000);
  await until(async () => receiver.received.length > 0, 20_000);
  await worker.stop();

  const [notice] = receiver.received.map((one) => one.json<{ title: string; text: string }>());
  expect(notice?.title).toBe('CRITICAL sync people: no run has ever succeeded');
  expect(notice?.text).toContain('with Redis: a scheduler');
});
