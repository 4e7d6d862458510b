import { schedulerWork } from '../../jobs/index.ts';
import type { Role } from '../app/app-io.ts';
import type { Config } from '../config/config.ts';
import { answerWithin } from '../drivers/redis/open-redis.ts';
import { troublesOf } from '../drivers/redis/redis-troubles.ts';
import { randomShare } from '../platform/client/defaults.ts';
import type { RedisSettings } from '../ports/redis.ts';
import type { SchedulerContext, Work } from '../run/work.ts';
import { alertWithoutScheduler, announceDeployment, announceWorker } from '../work/deployment-lease.ts';
import type { DriveIo } from '../work/in-process/drive-run.ts';
import { connectQueue } from '../work/queue/connect-queue.ts';
import { openQueueDispatch } from '../work/queue/dispatch.ts';
import { openWorker, type RunWorker } from '../work/queue/open-worker.ts';
import { runScheduler } from '../work/scheduler.ts';
import { openStopGrace } from '../work/stop-grace.ts';
import type { DeploymentHooks } from './deployment.ts';
import type { Engine } from './open-engine.ts';
import { schedulerContext } from './scheduler-tasks.ts';
import { openConfigAlertChecks } from './watch-alerts.ts';

export interface RedisDeploymentOptions extends DeploymentHooks {
  readonly redis: RedisSettings;
  readonly role: Role;
}

const announceMs = 5000;
/** How long a scheduler waits for Redis before it continues with its other tasks (ms). */
const answerMs = 4000;

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
  const announcing = announceWorker(engine.io, drive.signal);
  const connected = connectQueue(settings, engine.io);
  const grace = openStopGrace(drive.signal, engine.io.clock);
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
  config: Config,
  engine: Engine,
  drive: DriveIo,
  { redis, onTick }: { readonly redis: RedisSettings; readonly onTick: () => void },
): Promise<void> {
  const { clock, logger } = engine.io;
  const { signal } = drive;
  const { connection, queue, report, close } = connectQueue(redis, engine.io, answerMs);
  answerWithin(connection.info(), answerMs, clock).then(
    (info) => {
      for (const trouble of troublesOf(info)) logger.warn({}, trouble);
    },
    () => {},
  );
  const dispatch = openQueueDispatch(queue, engine.io);
  const depth = () => queue.depth().catch(() => undefined);
  const alerts = openConfigAlertChecks(config, engine, depth);
  const renewLease: Work<SchedulerContext> = {
    name: 'deployment lease',
    everyMs: announceMs,
    run: () => announceDeployment(engine.io, signal),
  };
  const context = schedulerContext(config, engine, { drive, dispatch, alerts });
  try {
    await runScheduler([renewLease, ...schedulerWork], context, { clock, signal, onTick, onError: report });
  } finally {
    await alerts.ended();
    await close();
  }
}
