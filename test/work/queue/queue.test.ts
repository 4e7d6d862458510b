import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { runJob } from '../../../jobs/index.ts';
import { planHere } from '../../../src/app/previews.ts';
import { requestOrRun, stopRun } from '../../../src/app/requests.ts';
import { describeRun } from '../../../src/app/runs.ts';
import { RollcallError } from '../../../src/core/run/errors.ts';
import { silentLogger } from '../../../src/ports/runtime.ts';
import { openRun, requestRun } from '../../../src/run/request-run.ts';
import { firstPiece, type JobData, type WorkIo, workJob } from '../../../src/work/queue/job.ts';
import { expectPromisesKept } from '../../chaos/kill-world.ts';
import { openHere } from '../../chaos/open-here.ts';
import { employees } from '../../support/office.ts';
import { until } from '../../support/services/redis.ts';
import { type RedisSpace, startRedisService } from '../../support/services/redis-service.ts';
import { slowly } from '../../support/slowness.ts';
import { closeAfterAll, everythingIn, openWorld, runAfterAll, startHere } from './with-redis.ts';

closeAfterAll();

const service = await startRedisService('the queue');
const newSpace = async (): Promise<RedisSpace> => (await service?.newSpace()) ?? expect.fail('there is no Redis');
const people = employees(30);

describe.skipIf(service === undefined)('a deployment with Redis', () => {
  it('does a run in a job per batch and leaves nothing of it in Redis', async () => {
    const redis = await newSpace();
    const world = await openWorld({ redis: redis.url, employees: people, sync: { batchRows: 3 } });
    const deployment = await startHere(world);
    await world.ask();
    const [run] = await world.ended(1);
    expect(run).toMatchObject({ outcome: 'succeeded', trigger: 'resync', counts: { applied: 30 } });
    const { batches } = await describeRun(deployment.app, run?.id ?? '');
    const added = async (queue: string) => {
      const events = await redis.command('XRANGE', `{rollcall}:${queue}:events`, '-', '+');
      return (events as readonly [string, string[]][]).filter(
        ([, words]) => words[1] === 'added' && words.some((word) => word.startsWith('run_')),
      ).length;
    };
    expect(await added('plans')).toBe(1);
    expect((await added('plans')) + (await added('runs'))).toBeLessThanOrEqual(batches.length + 10);
    await deployment.stop();
    expect(await everythingIn(redis)).not.toMatch(new RegExp(`"(?:data|${run?.id}_\\d+)":`));
    await expectPromisesKept(world, people);
  });

  it('never tells Redis who anybody is, nor a token, whatever goes wrong', async () => {
    const redis = await newSpace();
    const world = await openWorld({ redis: redis.url, employees: people, sync: { batchRows: 10 } });
    world.setFaults('file:fail-if=E3');
    const deployment = await startHere(world);
    await world.ask();
    let seen = '';
    await until(async () => {
      const isOver = (await world.runs()).some(({ phase }) => phase === 'done');
      seen += await everythingIn(redis);
      return isOver;
    });
    await deployment.stop();
    expect(seen).toContain('{rollcall}:runs');
    expect(seen).toContain('run_');
    for (const secret of [world.sandbox.accessToken, 'Ana1', 'Díaz', 'example.com', 'E17', '"E3"']) {
      expect(seen).not.toContain(secret);
      expect(deployment.logger.text()).not.toContain(secret);
    }
  });

  it('ends a cancelled run whose sync has another name now, which looks for what was out and sends nothing twice', async () => {
    const redis = await newSpace();
    const world = await openWorld({
      redis: redis.url,
      employees: people,
      sync: { batchRows: 15 },
      processingMs: 2500,
    });
    const before = await startHere(world);
    await world.ask();
    await until(async () => world.sandbox.state.files.size > 0);
    await before.stop();
    const [open] = await world.runs();
    await world.here((app) => stopRun(app, open?.id ?? '', { by: 'shell:ana' }));
    const config = JSON.parse(await readFile(world.config, 'utf8'));
    await writeFile(world.config, JSON.stringify({ ...config, syncs: { staff: config.syncs.people } }));
    const after = await startHere(world);
    const [run] = await world.ended(1);
    expect(run).toMatchObject({ outcome: 'cancelled', counts: { unresolved: 15 } });
    await until(async () => [...world.sandbox.state.files.values()].every(({ dueAt }) => dueAt < world.clock.now()));
    const watch = { signal: AbortSignal.timeout(60_000), progress: () => {}, by: 'shell:ana' };
    await requestOrRun(after.app, 'staff', { ...watch, scope: { kind: 'all' } });
    const [next] = (await world.ended(2)).filter(({ sync }) => sync === 'staff');
    expect(next).toMatchObject({ outcome: 'succeeded', counts: { applied: 15, repeated: 0 } });
    const { counts } = await planHere(after.app, 'staff', watch);
    expect(counts).toMatchObject({ create: 0, update: 0, enable: 0, disable: 0, remove: 0 });
    expect(world.sandbox.state.log).toHaveLength(people.length);
    await after.stop();
  });

  it('shares the work between roles, and a worker without a scheduler begins nothing', async () => {
    const redis = await newSpace();
    const world = await openWorld({ redis: redis.url, employees: people, sync: { batchRows: 15 } });
    const scheduler = await startHere(world, 'scheduler');
    await world.ask();
    const worker = await startHere(world, 'worker');
    const [run] = await world.ended(1);
    expect(run?.outcome).toBe('succeeded');
    expect(scheduler.logger.messages('info')).not.toContain('run ended');
    expect(worker.logger.messages('info')).toContain('run ended');
    expect([...scheduler.logger.messages('error'), ...worker.logger.messages('error')]).toEqual([]);
  });

  it('ends within a moment of being asked to when it has nothing to do', async () => {
    const redis = await newSpace();
    const world = await openWorld({ redis: redis.url, employees: people });
    const replica = world.replica();
    await replica.line('ready');
    const askedAt = Date.now();
    replica.process.kill('SIGTERM');
    expect(await replica.ended).toMatchObject({ code: 0, errors: '' });
    // It waits for no lock, lease or grace of ten seconds.
    expect(Date.now() - askedAt).toBeLessThan(slowly(8000));
  });
});

/** A run, and what a worker does its jobs with, without a queue. */
async function openJob(runs: WorkIo['runJob'] = runJob) {
  const world = await openWorld({ redis: undefined, employees: people, sync: { batchRows: 10 } });
  const { app, engine } = await openHere(world.config, { clock: world.clock, logger: silentLogger });
  runAfterAll(() => app.close());
  await requestRun({ sync: 'people', kind: 'manual', scope: { kind: 'all' } }, engine.io);
  const run = (await openRun('people', engine.io))?.run.id ?? '';
  const never = new AbortController().signal;
  let takings = 0;
  const io: WorkIo = {
    engine: engine.io,
    runLeaseMs: 6000,
    newOwner: () => `worker-${++takings}`,
    stop: never,
    graceOver: never,
    keepToken: async () => {},
    runJob: runs,
    random: () => 0,
  };
  const work = (data: JobData) => workJob(data, io, never);
  return { world, store: engine.io.store, run, first: firstPiece(run), work };
}

describe('a job', () => {
  it('that has to wait for long comes again in pieces, and at once when a person has cancelled its run', async () => {
    const tooBusy = new RollcallError('come later', { code: 'PLATFORM_BUSY', retry: { afterMs: 600_000 } });
    let asked = 0;
    const { store, run, first, work } = await openJob(async () => {
      asked += 1;
      throw tooBusy;
    });
    const waits = async (data: JobData): Promise<JobData> => {
      const worked = await work(data);
      expect(worked).toMatchObject({ kind: 'again', afterMs: 30_000 });
      return worked.kind === 'again' ? worked.data : expect.fail('it should come again');
    };
    const later = await waits(await waits(first));
    expect(asked).toBe(1);
    await store.runs.requestCancel(run);
    await work(later);
    expect(asked).toBe(2);
  });

  it('whose run has killed its worker six times fails the run, and says so', async () => {
    const { world, store, run, first, work } = await openJob();
    for (let i = 0; i < 6; i += 1)
      await store.leases.take(`run:${run}`, `dead ${i}`, 1, world.clock.now() - 100 + 10 * i);
    expect(await work(first)).toEqual({ kind: 'done' });
    const reason = expect.stringContaining('a process died 6 times while it worked on this run');
    expect(await store.runs.get(run)).toMatchObject({ outcome: 'failed', reason });
    expect(world.sandbox.state.log).toEqual([]);
  });

  it('that is delivered twice at the same time has one effect: who comes second comes again later', async () => {
    const { world, first, work } = await openJob();
    let copies = [first, first];
    let isBusySeen = false;
    while (copies.length > 0) {
      const worked = await Promise.all(copies.map(work));
      isBusySeen ||= worked.some((one) => one.kind === 'again' && one.afterMs === 1000);
      copies = worked.flatMap((one) => (one.kind === 'done' ? [] : [one.data]));
    }
    expect(isBusySeen).toBe(true);
    expect(world.sandbox.state.log).toHaveLength(people.length);
    await expectPromisesKept(world, people);
  });
});
