import { schedulerWork } from '../../jobs/index.ts';
import type { CheckLine, Role } from '../app/app-io.ts';
import type { Config } from '../config/config.ts';
import { answerWithin, closeRedis, keyPrefix, openRedis, troublesOf } from '../drivers/redis/open-redis.ts';
import { randomShare } from '../platform/client/defaults.ts';
import type { QueueDepth } from '../ports/metrics.ts';
import type { RedisSettings } from '../ports/redis.ts';
import type { Clock, Logger } from '../ports/runtime.ts';
import type { EngineIo } from '../run/engine-io.ts';
import type { SchedulerContext, Work } from '../run/work.ts';
import { announceDeployment, announceWorker, untilAborted } from '../work/deployment-lease.ts';
import type { DriveIo } from '../work/drive-run.ts';
import { adviseOn } from '../work/queue/error-gate.ts';
import { openWorker, type RunWorker } from '../work/queue/open-worker.ts';
import { connectQueue, openQueueDispatch } from '../work/queue/run-queue.ts';
import { type Dispatch, runScheduler } from '../work/scheduler.ts';
import { openStopGrace } from '../work/stop-grace.ts';
import type { Engine } from './engine.ts';

export interface RedisDeploymentOptions {
  readonly redis: RedisSettings;
  readonly role: Role;
  readonly workers: Config['workers'];
  readonly onReady: () => void;
  /** Called after each tick of the scheduler. */
  readonly onTick: () => void;
  readonly contextOf: (dispatch: Dispatch) => SchedulerContext;
}

const announceMs = 5000;
/** How long a scheduler waits for Redis before it continues with its other tasks (ms). */
const schedulerAnswerMs = 4000;

/**
 * Runs `rollcall start` with Redis, in any number of processes. Schedulers add the jobs of due runs to the queue;
 * workers run them. The store is the source of truth. A scheduler that finds a run without a driver and without a job
 * adds the job. A Redis that was down, emptied or restored therefore delays work and loses none. Returns when the
 * signal aborts and every job is at a safe place.
 */
export async function runRedisDeployment(
  { io }: Engine,
  drive: DriveIo,
  options: RedisDeploymentOptions,
): Promise<void> {
  const { redis, role, workers, onReady } = options;
  const schedules = role !== 'worker';
  if (schedules) await announceDeployment(io, drive.signal);
  const worker = role === 'scheduler' ? undefined : startWorker(redis, workers, io, drive);
  onReady();
  try {
    await (schedules ? schedule(io, drive, options) : untilAborted(drive.signal));
  } finally {
    await worker?.close();
  }
}

function startWorker(
  settings: RedisSettings,
  use: Config['workers'],
  io: EngineIo,
  drive: DriveIo,
): Pick<RunWorker, 'close'> {
  const announcing = announceWorker(io, drive.signal);
  const connected = connectQueue(settings, io);
  const grace = openStopGrace(drive.signal, io.clock);
  let leases = 0;
  const worker = openWorker(
    { ...connected, use },
    {
      engine: drive.engine,
      newOwner: () => `${drive.owner}-${++leases}`,
      runLeaseMs: use.lockMs,
      stop: drive.signal,
      graceOver: grace.over,
      keepToken: drive.keepToken,
      runJob: drive.runJob,
      random: randomShare,
    },
  );
  return {
    async close() {
      await worker.close();
      grace.end();
      await connected.close();
      await announcing;
    },
  };
}

/** Opens the scheduler's own queue connection and runs its tasks until the signal aborts. */
async function schedule(
  io: EngineIo,
  drive: DriveIo,
  { redis, onTick, contextOf }: RedisDeploymentOptions,
): Promise<void> {
  const { clock, logger } = io;
  const { signal } = drive;
  const { connection, queue, report, close } = connectQueue(redis, io, schedulerAnswerMs);
  answerWithin(connection.info(), schedulerAnswerMs, clock).then(
    (info) => {
      for (const trouble of troublesOf(info)) logger.warn({}, trouble);
    },
    () => {},
  );
  const dispatch = openQueueDispatch(queue, io);
  const renewLease: Work<SchedulerContext> = {
    name: 'deployment lease',
    everyMs: announceMs,
    run: () => announceDeployment(io, signal),
  };
  try {
    await runScheduler([renewLease, ...schedulerWork], contextOf(dispatch), {
      clock,
      signal,
      onTick,
      onError: report,
    });
  } finally {
    await close();
  }
}

export interface RedisWatch {
  /** Returns why Redis cannot be used; undefined when it answers. */
  fault(): Promise<string | undefined>;
  /** Returns the number of waiting jobs; undefined when Redis does not answer. */
  waiting(): Promise<number | undefined>;
  /** Returns the same, with the instant (epoch ms) at which the oldest waiting job was added. */
  depth(): Promise<QueueDepth | undefined>;
  close(): Promise<void>;
}

const watchAnswerMs = 1500;

/** Observes the queue on a connection of its own, so that a stuck worker is noticed. Must be closed. */
export function watchRedis(settings: RedisSettings, io: { clock: Clock; logger: Logger }): RedisWatch {
  const { queue, close } = connectQueue(settings, io, watchAnswerMs);
  const waiting = (): Promise<number | undefined> => queue.waiting().catch(() => undefined);
  return {
    fault: async () => ((await waiting()) === undefined ? `no answer within ${watchAnswerMs} ms` : undefined),
    waiting,
    depth: () => queue.depth().catch(() => undefined),
    close,
  };
}

/** Shorter than the client's own limit, whose error gives no reason. */
const checkAnswerMs = 2500;

/** Checks access to Redis, and that it evicts nothing. Writes nothing. */
export async function checkRedis(settings: RedisSettings, clock: Clock): Promise<CheckLine> {
  const subject = 'redis';
  const errors: unknown[] = [];
  const client = openRedis(settings, 'producer', (error) => errors.push(error));
  try {
    const info = await answerWithin(client.info(), checkAnswerMs, clock);
    // Fails for a user without rights on our keys.
    await answerWithin(client.exists(`${keyPrefix(settings)}:check`), checkAnswerMs, clock);
    const troubles = troublesOf(info);
    if (troubles.length > 0) return { subject, state: 'warning', message: troubles.join('; ') };
    return { subject, state: 'ok', message: 'Redis answers, and evicts no keys (noeviction)' };
  } catch (error) {
    // The first connection error has the reason; this one often says only that there was no answer.
    return { subject, state: 'failed', message: adviseOn(errors[0] ?? error) };
  } finally {
    closeRedis(client);
  }
}
