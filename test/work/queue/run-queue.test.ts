import { Worker } from 'bullmq';
import { describe, expect, it } from 'vitest';
import { closeRedis, openRedis } from '../../../src/drivers/redis/open-redis.ts';
import { systemClock } from '../../../src/main/process.ts';
import type { Run } from '../../../src/ports/store.ts';
import type { EngineIo } from '../../../src/run/engine-io.ts';
import { firstPiece, type JobData, jobIdOf, readJobData, runlessJob, runOfJobId } from '../../../src/work/queue/job.ts';
import {
  housekeepingPriority,
  openQueueDispatch,
  openRunQueue,
  priorityOf,
} from '../../../src/work/queue/run-queue.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { memoryLogger } from '../../support/memory-logger.ts';
import { slowly } from '../../support/slowness.ts';
import { closeAfterAll, openRedisServer, redisOrSkip, runAfterAll } from './with-redis.ts';

closeAfterAll();

const program = await redisOrSkip('the queue');

describe('what stands in Redis for a job', () => {
  it('is refused when another version wrote it', () => {
    const ours: JobData = firstPiece('run_1');
    expect(readJobData(ours)).toEqual(ours);
    for (const other of [
      { ...ours, v: 3 },
      { ...ours, people: [] },
      { ...ours, payload: { run: { id: 1 } } },
      'x',
      null,
    ]) {
      expect(readJobData(other)).toBeUndefined();
    }
  });

  it('has an id that says which piece of which run it is, without the colon that the queue forbids', () => {
    const id = jobIdOf({ ...firstPiece('run_01J'), piece: 12 });
    expect(id).toBe('run_01J_12');
    expect(runOfJobId(id)).toBe('run_01J');
    expect(jobIdOf(runlessJob('keep-token', { connection: 'acme' }))).toBe('keep-token_acme');
  });
});

const planning = (trigger: Run['trigger']): number => priorityOf({ trigger, phase: 'reading' });

it('lets every run that has its plan go before any that has none, and short work of no run before both', () => {
  const planned = priorityOf({ trigger: 'schedule', phase: 'delivering' });
  expect(planned).toBeLessThan(planning('manual'));
  expect(priorityOf({ trigger: 'resync', phase: 'proving' })).toBeLessThan(planned);
  expect(housekeepingPriority).toBeLessThan(priorityOf({ trigger: 'resync', phase: 'proving' }));
});

/** A queue in a Redis of this test alone. */
async function openHere(as: 'producer' | 'worker' = 'producer', withinMs?: number) {
  const redis = await openRedisServer(program ?? '');
  const settings = { kind: 'single', host: '127.0.0.1', port: redis.port, db: 0, prefix: 'q' } as const;
  const connection = openRedis(settings, as, () => {});
  const answers = withinMs === undefined ? {} : { answers: { clock: systemClock, withinMs } };
  const queue = openRunQueue({ connection, prefix: '{q}', onError: () => {}, ...answers });
  runAfterAll(async () => {
    await queue.close();
    closeRedis(connection);
  });
  return { redis, connection, queue };
}

describe.skipIf(program === undefined)('the queue', () => {
  it('holds a job of an id once, knows which runs have one, and lets what a person asked for go first', async () => {
    const { redis, queue } = await openHere();
    expect(await queue.depth()).toEqual({ waiting: 0, oldestAt: undefined });
    await queue.add(firstPiece('run_slot'), planning('schedule'));
    await queue.add(firstPiece('run_hook'), planning('webhook'));
    await queue.add(firstPiece('run_asked'), planning('resync'));
    await queue.add(firstPiece('run_slot'), planning('schedule'));
    expect(await redis.command('ZRANGE', '{q}:plans:prioritized', '0', '-1')).toEqual([
      'run_asked_0',
      'run_hook_0',
      'run_slot_0',
    ]);
    expect([...(await queue.runs())].sort()).toEqual(['run_asked', 'run_hook', 'run_slot']);
    expect(await queue.waiting()).toBe(3);
    const oldestAt = Number(await redis.command('HGET', '{q}:plans:run_slot_0', 'timestamp'));
    expect(await queue.depth()).toEqual({ waiting: 3, oldestAt });
  });

  it('gives a new job to a run whose job counts as taken, but whose lock no worker holds', async () => {
    const { redis, connection, queue } = await openHere('worker');
    const clock = new FakeClock();
    const logger = memoryLogger();
    const runs = [{ id: 'run_1', phase: 'planning' } as Run, { id: 'run_2', phase: 'planning' } as Run];
    const store = { runs: { get: async (id: string) => runs.find((run) => run.id === id) } } as EngineIo['store'];
    const dispatch = openQueueDispatch(queue, { store, clock, logger });
    for (const { id } of runs) await queue.add(firstPiece(id), 20);
    // A worker that never looks for jobs of others, and dies with one job. The other job stays with a living one.
    const dead = new Worker('plans', null, { connection, prefix: '{q}', skipVersionCheck: true, lockDuration: 60_000 });
    await dead.getNextJob('dead');
    await dead.getNextJob('alive');
    await redis.command('DEL', '{q}:plans:run_1_0:lock');
    const active = () => redis.command('LRANGE', '{q}:plans:active', '0', '-1');

    await dispatch.resume(runs);
    expect(await active()).toHaveLength(2);
    clock.jumpTo(clock.now() + 59_000);
    await dispatch.resume(runs);
    expect(await active()).toHaveLength(2);
    clock.jumpTo(clock.now() + 1_000);
    await dispatch.resume(runs);
    expect(await active()).toEqual(['run_2_0']);
    expect(await queue.waiting()).toBe(1);
    expect(logger.messages('warn')).toEqual([expect.stringContaining('no worker holds the job of a run')]);
    await dead.close();
  });

  it.each(['SIGKILL', 'SIGSTOP'] as const)(
    'fails within seconds for who adds to it when Redis got %s, and heals',
    async (signal) => {
      const { redis, queue } = await openHere('producer', 1000);
      if (signal === 'SIGKILL') await redis.kill();
      else redis.signal(signal);
      const from = Date.now();
      await expect(queue.add(firstPiece('run_1'), 1)).rejects.toThrow();
      // Without a bound it would wait until Redis is back: for ever.
      expect(Date.now() - from).toBeLessThan(slowly(20_000));
      if (signal === 'SIGKILL') await redis.start();
      else redis.signal('SIGCONT');
      await expect
        .poll(
          () =>
            queue.add(firstPiece('run_1'), 1).then(
              () => 'added',
              () => 'not yet',
            ),
          { timeout: slowly(8000) },
        )
        .toBe('added');
      expect([...(await queue.runs())]).toEqual(['run_1']);
    },
  );
});
