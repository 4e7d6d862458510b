import { Queue } from 'bullmq';
import { closeRedis, openRedis } from '../../../src/drivers/redis/open-redis.ts';
import type { RedisSettings } from '../../../src/ports/redis.ts';
import type { Run } from '../../../src/ports/store.ts';
import type { EngineIo } from '../../../src/run/engine-io.ts';
import type { WorkIo } from '../../../src/work/queue/job.ts';
import { openWorker, type QueueUse } from '../../../src/work/queue/open-worker.ts';
import { openRunQueue, type RunQueue } from '../../../src/work/queue/run-queue.ts';
import { memoryLogger } from '../../support/memory-logger.ts';
import { openRedisServer, runAfterAll } from './with-redis.ts';

export const run = { id: 'run_1', sync: 'people', phase: 'delivering', trigger: 'manual' } as Run;

/** What is there before the worker is. */
interface Before {
  readonly queue: RunQueue;
  readonly settings: RedisSettings;
}

interface BenchOptions {
  readonly prepare?: (before: Before) => Promise<void>;
  /** Returns the port by which the worker reaches Redis. */
  readonly portFor?: (port: number) => Promise<number>;
  readonly silentMs?: number;
}

/** A worker whose store knows one run, and whose job does what the test says. */
export async function openBench(
  program: string,
  use: Omit<QueueUse, 'concurrency'>,
  runJob: WorkIo['runJob'],
  { prepare = async () => {}, portFor = async (port) => port, silentMs }: BenchOptions = {},
) {
  const redis = await openRedisServer(program);
  const settings = { kind: 'single', host: '127.0.0.1', port: await portFor(redis.port), db: 0, prefix: 'q' } as const;
  const connection = openRedis(settings, 'worker', () => {}, silentMs);
  const queue = openRunQueue({ connection, prefix: '{q}', onError: () => {} });
  const raw = new Queue('runs', { connection, prefix: '{q}', skipVersionCheck: true });
  const logger = memoryLogger();
  const stop = new AbortController();
  const engine = {
    logger,
    clock: { now: () => Date.now(), sleep: () => new Promise<void>(() => {}) },
    store: { runs: { get: async () => run } },
  } as unknown as EngineIo;
  const io: WorkIo = {
    engine,
    newOwner: () => 'us',
    stop: stop.signal,
    graceOver: new AbortController().signal,
    keepToken: async () => {},
    runJob,
    runLeaseMs: 10_000,
    random: () => 0,
  };
  await prepare({ queue, settings });
  const worker = openWorker({ connection, prefix: '{q}', queue, use: { concurrency: 4, ...use } }, io);
  runAfterAll(async () => {
    stop.abort(new Error('stop'));
    await worker.close();
    await raw.close();
    await queue.close();
    closeRedis(connection);
  });
  const add = (data: unknown, jobId: string) => raw.add('advance-run', data, { jobId, removeOnComplete: true });
  return { redis, queue, logger, add };
}
