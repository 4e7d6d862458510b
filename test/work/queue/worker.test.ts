import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/main/process.ts';
import { firstPiece, type JobData } from '../../../src/work/queue/job.ts';
import { connectQueue, priorityOf } from '../../../src/work/queue/run-queue.ts';
import { until } from '../../support/services/redis.ts';
import { openTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';
import { openBench, run } from './bench.ts';
import { closeAfterAll, redisOrSkip, runAfterAll } from './with-redis.ts';

closeAfterAll();

const program = await redisOrSkip('a worker of the queue');
describe.skipIf(program === undefined)('a worker of the queue', () => {
  it('removes a job of a version that no worker knows, so that recovery adds one that it knows', async () => {
    const ran: string[] = [];
    const bench = await openBench(
      program ?? '',
      { lockMs: 6000, stalledCheckMs: 2000, otherVersionMs: 300 },
      async (name) => {
        ran.push(name);
        return { kind: 'done' };
      },
    );
    await bench.add({ v: 99, what: 'of a later version' }, 'run_1_7');
    await until(async () => (await bench.queue.runs()).size === 0);
    expect(bench.logger.messages('warn')).toEqual([
      'this worker does not know the version of a job: a newer worker must run it',
      'no worker knows the version of a job: the job is replaced',
    ]);
    expect(ran).toEqual([]);
    await bench.queue.add(firstPiece('run_1'), 1);
    await until(async () => ran.length === 1);
  });

  it('advances the run of a job whose name it does not know', async () => {
    const ran: string[] = [];
    const bench = await openBench(
      program ?? '',
      { lockMs: 6000, stalledCheckMs: 2000, otherVersionMs: 60_000 },
      async (name) => {
        ran.push(name);
        return { kind: 'done' };
      },
    );
    const job: JobData = { ...firstPiece('run_1'), job: 'verify-batch' };
    await bench.add(job, 'run_1_3');
    await until(async () => ran.length === 1);
    expect(ran).toEqual(['advance-run']);
    expect(bench.logger.messages('error')).toEqual([]);
  });

  it('notices that Redis is gone without a word, and takes what others were told meanwhile', async () => {
    const ran: string[] = [];
    let proxy: TcpProxy | undefined;
    const portFor = async (port: number): Promise<number> => {
      proxy = await openTcpProxy(port, () => 'pass', runAfterAll);
      return proxy.port;
    };
    const bench = await openBench(
      program ?? '',
      { lockMs: 6000, stalledCheckMs: 60_000, otherVersionMs: 60_000 },
      async (_name, data) => {
        ran.push(JSON.stringify(data));
        return { kind: 'done' };
      },
      // Longer than BullMQ blocks (`drainDelay`): a connection that is idle is not silent.
      { portFor, silentMs: 3000 },
    );
    await bench.queue.add(firstPiece('run_1'), 1);
    await until(async () => ran.length === 1);
    const before = proxy?.connections ?? 0;
    proxy?.vanish();
    const others = { kind: 'single', host: '127.0.0.1', port: bench.redis.port, db: 0, prefix: 'q' } as const;
    const beside = connectQueue(others, { clock: systemClock, logger: bench.logger });
    await beside.queue.add(firstPiece('run_2'), 1);
    await until(async () => ran.length === 2);
    await beside.close();
    expect(proxy?.connections).toBeGreaterThan(before);
  });

  it('does not take a lock that it lost for a trouble of Redis', async () => {
    const started = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    const bench = await openBench(
      program ?? '',
      { lockMs: 1000, stalledCheckMs: 60_000, otherVersionMs: 60_000 },
      async () => {
        started.resolve();
        await end.promise;
        return { kind: 'done' };
      },
    );
    await bench.queue.add(firstPiece('run_1'), 1);
    await started.promise;
    await bench.redis.command('DEL', '{q}:runs:run_1_0:lock');
    await until(async () => bench.logger.messages('warn').length > 0);
    end.resolve();
    await until(async () => Number(await bench.redis.command('EXISTS', '{q}:runs:run_1_0')) >= 0);
    expect(bench.logger.messages('warn')).toEqual([
      'the lock of the job was lost: the job stops before its next effect',
    ]);
    expect(bench.logger.messages('error')).toEqual([]);
  });

  it('delivers while it makes long plans, of which it makes a few at a time', async () => {
    const started: unknown[] = [];
    const end = Promise.withResolvers<void>();
    const bench = await openBench(program ?? '', { lockMs: 6000, stalledCheckMs: 2000 }, async (_, payload) => {
      const { run: id } = payload as { run: string };
      started.push(id);
      if (id !== run.id) await end.promise;
      return { kind: 'done' };
    });
    const unplanned = priorityOf({ trigger: 'manual', phase: 'reading' });
    for (const number of [2, 3, 4, 5, 6]) await bench.queue.add(firstPiece(`run_${number}`), unplanned);
    await until(async () => started.length === 2);

    await bench.queue.add(firstPiece(run.id), priorityOf(run));
    await until(async () => started.includes(run.id));
    expect(started, 'two places for plans beside four for runs').toEqual(['run_2', 'run_3', 'run_1']);
    expect(await bench.queue.waiting()).toBe(3);

    end.resolve();
    await until(async () => (await bench.queue.runs()).size === 0);
    expect(started).toHaveLength(6);
  });
});
