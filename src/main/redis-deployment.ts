import { randomInt } from 'node:crypto';
import type { Role } from '../app/app.ts';
import type { Config } from '../config/config.ts';
import { RollcallError } from '../core/errors.ts';
import type { RedisSettings } from '../ports/redis.ts';
import { openQueueDispatch } from '../runtime/bullmq/dispatch.ts';
import { openErrorGate } from '../runtime/bullmq/error-gate.ts';
import { answerWithin, closeRedis, keyPrefix, openRedis } from '../runtime/bullmq/open-redis.ts';
import { openWorker, type RunWorker } from '../runtime/bullmq/open-worker.ts';
import { troublesOf } from '../runtime/bullmq/redis-troubles.ts';
import { openRunQueue } from '../runtime/bullmq/run-queue.ts';
import { alertWithoutScheduler, announceDeployment, announceWorker } from '../runtime/deployment-lease.ts';
import type { DriveIo } from '../runtime/in-process/drive-run.ts';
import { runScheduler } from '../runtime/scheduler.ts';
import type { DeploymentHooks } from './deployment.ts';
import type { Engine } from './open-engine.ts';
import { schedulerTasks } from './scheduler-tasks.ts';
import { openConfigAlertChecks } from './watch-alerts.ts';

export interface RedisDeploymentOptions extends DeploymentHooks {
  readonly redis: RedisSettings;
  readonly role: Role;
}

const announceMs = 5000;
/** How long a scheduler waits for Redis before it continues with its other tasks (ms). */
const answerMs = 4000;
/** How long a call in progress may continue after a stop request (ms). */
const stopGraceMs = 8000;

/**
 * Runs `rollcall start` with Redis, in any number of processes. Schedulers add the jobs of due runs to the queue;
 * workers run them. The store is the source of truth. A scheduler that finds a run without a driver and without a job
 * adds the job. A Redis that was down, emptied or restored therefore delays work and loses none. Returns when the
 * signal aborts and every job is at a safe place.
 */
export async function runRedisDeployment(
  config: Config,
  engine: Engine,
  drive: DriveIo,
  { redis, role, onReady, onTick = () => {} }: RedisDeploymentOptions,
): Promise<void> {
  const schedules = role !== 'worker';
  const works = role !== 'scheduler';
  if (schedules) await announceDeployment(engine.io, drive.signal);
  const worker = works ? startWorker(redis, config.workers, engine, drive) : undefined;
  onReady();
  try {
    await (schedules
      ? schedule(config, engine, drive, { redis, onTick })
      : alertWithoutScheduler(engine.io, openConfigAlertChecks(config, engine), drive.signal));
  } finally {
    await worker?.close();
  }
}

function startWorker(
  settings: RedisSettings,
  use: Config['workers'],
  engine: Engine,
  drive: DriveIo,
): Pick<RunWorker, 'close'> {
  const { clock, logger } = engine.io;
  const announcing = announceWorker(engine.io, drive.signal);
  const gate = openErrorGate({ clock, logger });
  const connection = openRedis(settings, 'worker', gate.report);
  const prefix = keyPrefix(settings);
  const queue = openRunQueue({ connection, prefix, onError: gate.report });
  const graceOver = new AbortController();
  const over = new AbortController();
  const startGrace = (): void => {
    clock.sleep(stopGraceMs, over.signal).then(
      () => graceOver.abort(drive.signal.reason),
      () => {},
    );
  };
  drive.signal.addEventListener('abort', startGrace, { once: true });
  let leases = 0;
  const worker = openWorker(
    { connection, prefix, queue, use },
    {
      engine: drive.engine,
      newOwner: () => `${drive.owner}-${++leases}`,
      runLeaseMs: use.lockMs,
      stop: drive.signal,
      graceOver: graceOver.signal,
      keepToken: drive.keepToken,
      runJob: drive.runJob,
      random: () => randomInt(2 ** 32) / 2 ** 32,
    },
  );
  return {
    async close() {
      await worker.close();
      over.abort(new RollcallError('the worker has ended', { code: 'CANCELLED' }));
      drive.signal.removeEventListener('abort', startGrace);
      await queue.close().catch(gate.report);
      closeRedis(connection);
      await announcing;
    },
  };
}

/** Opens the scheduler's own queue connection and runs its tasks until the signal aborts. */
async function schedule(
  config: Config,
  engine: Engine,
  drive: DriveIo,
  { redis, onTick }: { readonly redis: RedisSettings; readonly onTick: () => void },
): Promise<void> {
  const { clock, logger } = engine.io;
  const { signal } = drive;
  const gate = openErrorGate({ clock, logger });
  const connection = openRedis(redis, 'producer', gate.report);
  const answers = { clock, withinMs: answerMs };
  const queue = openRunQueue({ connection, prefix: keyPrefix(redis), onError: gate.report, answers });
  answerWithin(connection.info(), answerMs, clock).then(
    (info) => {
      for (const trouble of troublesOf(info)) logger.warn({}, trouble);
    },
    () => {},
  );
  const dispatch = openQueueDispatch(queue, engine.io);
  const depth = () => queue.depth().catch(() => undefined);
  const alerts = openConfigAlertChecks(config, engine, depth);
  const renewLease = {
    name: 'deployment lease',
    everyMs: announceMs,
    run: () => announceDeployment(engine.io, signal),
  };
  const tasks = [renewLease, ...schedulerTasks(config, engine, { drive, dispatch, alerts })];
  try {
    await runScheduler(tasks, { clock, signal, onTick, onError: gate.report });
  } finally {
    await alerts.ended();
    await queue.close().catch(gate.report);
    closeRedis(connection);
  }
}
