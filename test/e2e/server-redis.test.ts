import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Role } from '../../src/app/app-io.ts';
import { silentLogger } from '../../src/ports/runtime.ts';
import { openHere } from '../chaos/open-here.ts';
import { ask, operatorToken } from '../server/open-test-server.ts';
import { employees } from '../support/office.ts';
import { until } from '../support/services/redis.ts';
import type { RedisWorld } from '../work/queue/redis-world.ts';
import { closeAfterAll, openRedisServer, openWorld, redisOrSkip } from '../work/queue/with-redis.ts';

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
  });
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

  it('the server takes requests while Redis is away, also when it is started then, and they are done when it is back', async () => {
    const redis = await openRedisServer(program ?? '');
    const world = await openWorld({ redis: redis.url, employees: employees(3) });
    const config = JSON.parse(await readFile(world.config, 'utf8')) as object;
    const server = { tokens: [{ name: 'ops', role: 'operator', token: operatorToken }] };
    await writeFile(world.config, JSON.stringify({ ...config, server }));
    const before = await startServed(world, 'server');
    await redis.kill();
    const order = (url: string, user: string) =>
      ask(`${url}/api/syncs/people/runs`, { method: 'POST', body: { users: [user] } });
    const first = await order(before, 'E1');
    expect(first).toMatchObject({ status: 202, json: { isNew: true } });
    const after = await startServed(world, 'server');
    const second = await order(after, 'E2');
    expect(second).toMatchObject({ status: 202, json: { isNew: true } });
    // Otherwise Kubernetes would send it nothing.
    for (const url of [before, after]) expect((await ask(`${url}/readyz`)).status).toBe(200);
    const state = async (id: string) => (await ask(`${after}/api/requests/${id}`)).json;
    expect(await state(first.json.trigger)).toMatchObject({ state: 'waiting', run: null, result: null });
    expect((await ask(`${after}/api/syncs`)).json.syncs).toMatchObject([{ state: 'waiting' }]);

    await redis.start();
    await Promise.all([startServed(world, 'scheduler'), startServed(world, 'worker')]);
    const [run] = await world.ended(1);
    expect(run).toMatchObject({ outcome: 'succeeded', counts: { create: 2 } });
    for (const { json } of [first, second]) {
      expect(await state(json.trigger)).toMatchObject({
        state: 'ended',
        run: { id: run?.id },
        result: { outcome: 'succeeded', changes: { applied: 1 } },
      });
    }
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
    expect(await ask(`${server}/metrics`)).toMatchObject({ status: 401, json: { code: 'TOKEN_UNKNOWN' } });
  });
});
