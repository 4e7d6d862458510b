import { describe, expect, it } from 'vitest';
import { expectPromisesKept, runToTheEnd } from '../../chaos/kill-world.ts';
import { employees } from '../../support/office.ts';
import { type RedisServer, until } from '../../support/services/redis.ts';
import { startCluster, startSentinels } from '../../support/services/redis-groups.ts';
import type { RedisWorld } from './redis-world.ts';
import { closeAfterAll, type Deployment, openRedisServer, openWorld, redisOrSkip, startHere } from './with-redis.ts';

closeAfterAll();

const program = await redisOrSkip('Redis outages');
const people = employees(8);
/** A run of some seconds: two files, each of which the platform takes its time for. */
const slow = { employees: people, sync: { batchRows: 4 }, processingMs: 2500 };

/** The default of `workers.lock`. */
const lockMs = 6000;

/** Until the platform has the first file. */
function firstFile(world: RedisWorld): Promise<void> {
  return until(async () => world.sandbox.state.files.size > 0);
}

/** The kinds of trouble that it told, one per line of its log. */
function errorsOf({ logger }: Deployment): readonly unknown[] {
  return logger.lines.filter(({ level }) => level === 'error').map(({ fields }) => fields.kind);
}

/** How often Redis has refused a command because it is full. */
async function refusedForMemory(redis: RedisServer): Promise<number> {
  const said = String(await redis.command('INFO', 'errorstats'));
  return Number(/errorstat_OOM:count=(\d+)/.exec(said)?.[1] ?? 0);
}

async function expectOneGoodRun(what: string, world: RedisWorld, withinMs = 30_000): Promise<void> {
  const from = Date.now();
  const [run] = await world.ended(1, withinMs);
  expect(run?.outcome).toBe('succeeded');
  process.stderr.write(`${what}: done after ${Date.now() - from} ms\n`);
}

describe.skipIf(program === undefined)('a run goes on', () => {
  it.concurrent('after Redis was emptied', async () => {
    const redis = await openRedisServer(program ?? '');
    const world = await openWorld({ redis: redis.url, ...slow });
    const deployment = await startHere(world);
    await world.ask();
    await firstFile(world);
    await redis.command('FLUSHALL');
    await expectOneGoodRun('emptied', world);
    await deployment.stop();
    await expectPromisesKept(world, people);
  });

  it.concurrent('after Redis died and came back empty, and what was asked for meanwhile is done', async () => {
    const redis = await openRedisServer(program ?? '');
    const world = await openWorld({ redis: redis.url, ...slow });
    const deployment = await startHere(world);
    await world.ask();
    await firstFile(world);
    await redis.kill();
    await world.ask();
    await until(async () => errorsOf(deployment).includes('ECONNREFUSED'));
    // The next step has become due, and nobody could be told to take it.
    await until(async () => [...world.sandbox.state.files.values()].some(({ dueAt }) => dueAt <= world.clock.now()));
    await redis.start();
    const backAt = Date.now();
    const runs = await world.ended(2);
    process.stderr.write(`died and came back empty: two runs done ${Date.now() - backAt} ms after\n`);
    expect(runs.map(({ outcome }) => outcome).toSorted()).toEqual(['nothing-to-do', 'succeeded']);
    expect(deployment.logger.messages('error').length).toBeLessThan(20);
    await deployment.stop();
    await expectPromisesKept(world, people);
  });

  it.concurrent('after Redis was restored from an old copy, whose jobs do nothing again', async () => {
    const redis = await openRedisServer(program ?? '');
    const world = await openWorld({ redis: redis.url, ...slow });
    const deployment = await startHere(world);
    await world.ask();
    await firstFile(world);
    await redis.command('SAVE');
    await expectOneGoodRun('copied in the middle', world);
    await redis.kill();
    // It begins with what was saved: a job of a run that has ended since.
    await redis.start();
    expect(await redis.command('EXISTS', '{rollcall}:runs:meta')).toBe(1);
    await world.ask();
    const runs = await world.ended(2);
    expect(runs.map(({ outcome }) => outcome).toSorted()).toEqual(['nothing-to-do', 'succeeded']);
    await until(async () => Number(await redis.command('ZCARD', '{rollcall}:runs:delayed')) === 0);
    await deployment.stop();
    await expectPromisesKept(world, people);
  });

  it.concurrent('after Redis stood still for longer than a lock, without doing anything twice', async () => {
    const redis = await openRedisServer(program ?? '');
    // About 60 calls, five a second: one step goes on all the time.
    const world = await openWorld({
      redis: redis.url,
      employees: people,
      sync: { delivery: 'direct', policy: 'upsert-only' },
      limits: { requestsPerSecond: 3 },
    });
    const [one, two] = [await startHere(world), await startHere(world)];
    await world.ask();
    // Between two jobs nobody holds a lock that could be lost: the step must be under way.
    await until(async () => world.sandbox.state.log.length > 1);
    redis.signal('SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, lockMs + 1000));
    redis.signal('SIGCONT');
    const [run] = await world.ended(1, 60_000);
    // A call whose lock was lost on its way is given up: what it did is not known, and a later run looks.
    if (run?.outcome !== 'succeeded') expect(run).toMatchObject({ outcome: 'partial', counts: { failed: 0 } });
    await Promise.all([one.stop(), two.stop()]);
    const warnings = [one, two].flatMap(({ logger }) => logger.messages('warn'));
    expect(warnings).toContain('the lock of the job was lost: the job stops before its next effect');
    await runToTheEnd(world);
    await expectPromisesKept(world, people);
  });

  it.concurrent('when Redis is full, as soon as it is not, and says so in few lines', async () => {
    const redis = await openRedisServer(program ?? '', { config: ['maxmemory 20mb'] });
    const world = await openWorld({ redis: redis.url, ...slow });
    const deployment = await startHere(world);
    await redis.command('SETRANGE', 'filler', '30000000', 'x');
    await world.ask();
    await until(async () => (await refusedForMemory(redis)) > 20);
    expect(errorsOf(deployment)).toContain('OOM');
    expect(errorsOf(deployment).length).toBeLessThan(10);
    await redis.command('DEL', 'filler');
    await expectOneGoodRun('full', world);
    await deployment.stop();
    await expectPromisesKept(world, people);
  });

  it.concurrent('after the master behind Sentinels has died', async () => {
    const group = await startSentinels(program ?? '');
    try {
      const world = await openWorld({
        redis: { sentinels: group.sentinels.map(({ port }) => `127.0.0.1:${port}`), master: group.masterName },
        ...slow,
      });
      const deployment = await startHere(world);
      await world.ask();
      await firstFile(world);
      await group.master.kill();
      await expectOneGoodRun('Sentinel failover', world);
      await deployment.stop();
      await expectPromisesKept(world, people);
    } finally {
      await group.close();
    }
  });

  it.concurrent('in a cluster of three', async () => {
    const cluster = await startCluster(program ?? '');
    try {
      const world = await openWorld({
        redis: { cluster: cluster.nodes.map(({ port }) => `127.0.0.1:${port}`) },
        ...slow,
      });
      const deployment = await startHere(world);
      await world.ask();
      await expectOneGoodRun('cluster', world);
      expect(deployment.logger.messages('error')).toEqual([]);
      await deployment.stop();
      await expectPromisesKept(world, people);
    } finally {
      await cluster.close();
    }
  });
});
