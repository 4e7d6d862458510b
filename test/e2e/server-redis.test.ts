import { describe, expect, it, onTestFinished } from 'vitest';
import type { Role } from '../../src/app/app.ts';
import { openHere } from '../chaos/open-here.ts';
import type { RedisWorld } from '../runtime/bullmq/redis-world.ts';
import { closeAfterAll, openRedisServer, openWorld, redisOrSkip } from '../runtime/bullmq/with-redis.ts';
import { ask } from '../server/open-test-server.ts';
import { silentLogger } from '../support/memory-logger.ts';
import { employees } from '../support/office.ts';
import { until } from '../support/services/redis.ts';

closeAfterAll();

const program = await redisOrSkip("the server's health with Redis");

/** `rollcall start --port 0` in this process, stopped when the test ends. */
async function startServed(world: RedisWorld, role: Role): Promise<string> {
  const { app } = await openHere(world.config, { clock: world.clock, logger: silentLogger });
  const stopping = new AbortController();
  const ready = Promise.withResolvers<void>();
  let url = '';
  const ended = app.start({
    signal: stopping.signal,
    progress: () => {},
    role,
    listen: { port: 0 },
    onListening: (where) => {
      url = where;
    },
    onReady: ready.resolve,
  });
  ended.catch(ready.reject);
  onTestFinished(async () => {
    stopping.abort(new Error('stop'));
    await ended;
    await app.close();
    await expect(ask(`${url}/healthz`)).rejects.toThrow();
  }, 60_000);
  await ready.promise;
  return url;
}

describe.skipIf(program === undefined)('health with Redis', () => {
  it.each<Role>(['all', 'worker'])('of role %s: not ready while Redis is away, live all the time', async (role) => {
    const redis = await openRedisServer(program ?? '');
    const world = await openWorld({ redis: redis.url, employees: employees(2) });
    const url = await startServed(world, role);
    const isReady = async (): Promise<boolean> => (await ask(`${url}/readyz`)).status === 200;
    await until(isReady);
    await redis.kill();
    await until(async () => !(await isReady()));
    expect((await ask(`${url}/readyz`)).json.faults).toMatchObject({ redis: expect.any(String) });
    expect((await ask(`${url}/healthz`)).status).toBe(200);
    await redis.start();
    await until(isReady);
    expect((await ask(`${url}/api/syncs`)).status).toBe(role === 'worker' ? 404 : 401);
  });

  it('a scheduler, a worker and a server in one place do what a shell asks for, and each answers for itself', async () => {
    const redis = await openRedisServer(program ?? '');
    const world = await openWorld({ redis: redis.url, employees: employees(3) });
    const [, , server] = await Promise.all([
      startServed(world, 'scheduler'),
      startServed(world, 'worker'),
      startServed(world, 'server'),
    ]);
    await world.ask();
    const [run] = await world.ended(1);
    expect(run).toMatchObject({ outcome: 'succeeded', counts: { create: 3 } });
    expect((await ask(`${server}/readyz`)).status).toBe(200);
    expect((await ask(`${server}/metrics`)).text).toContain('rollcall_');
  });
});
