import { workerJobs } from '../../jobs/index.ts';
import type { Config } from '../config/config.ts';
import { describeError, isStoreAway, RollcallError } from '../core/errors.ts';
import { deploymentLease } from '../ports/leases.ts';
import { deploymentLeaseMs } from '../runtime/deployment-lease.ts';
import { type HeldLease, takeOverLease } from '../runtime/hold-lease.ts';
import { openLocalDispatch } from '../runtime/in-process/dispatch.ts';
import type { DriveIo } from '../runtime/in-process/drive-run.ts';
import { runScheduler } from '../runtime/scheduler.ts';
import type { Engine } from './open-engine.ts';
import { schedulerTasks } from './scheduler-tasks.ts';
import { openConfigAlertChecks } from './watch-alerts.ts';

export interface DeploymentHooks {
  readonly onReady: () => void;
  /** Called after each tick of the scheduler. */
  readonly onTick?: () => void;
}

/**
 * Runs `rollcall start` without Redis: the scheduler and all work in this process. The store is the source of truth, so
 * a `resync` or an `approve` from another shell takes effect within a second. Returns when the signal aborts and every
 * run is at a safe place. Throws CONFLICT when another process works on the same store. Waits for the lease of a dead
 * process to expire. When the store is away for longer than the lease lasts, waits for the store and continues.
 */
export async function runDeployment(
  config: Config,
  engine: Engine,
  given: DriveIo,
  { onReady, onTick = () => {} }: DeploymentHooks,
): Promise<void> {
  const { clock, logger } = engine.io;
  let held = await takeDeployment(engine, given);
  if (held !== undefined) onReady();
  while (held !== undefined) {
    await workUnder(held, { config, engine, given, onTick });
    if (given.signal.aborted) return;
    const { reason } = held.signal;
    if (!(reason instanceof RollcallError && isStoreAway(reason.cause))) held.signal.throwIfAborted();
    // No work of this process goes on, and every write is fenced, so waiting harms nothing.
    logger.warn({ error: describeError(reason) }, 'the store is away: all work waits for it');
    held = await takeDeployment(engine, given, async () => clock.sleep(storePollMs, given.signal));
    if (held !== undefined) logger.info({}, 'the store is back: work continues');
  }
}

/** Time between two looks for a store that is away (ms). */
const storePollMs = 1000;

interface Work {
  readonly config: Config;
  readonly engine: Engine;
  readonly given: DriveIo;
  readonly onTick: () => void;
}

/** Works until the lease is lost or the signal aborts. */
async function workUnder({ signal, release }: HeldLease, { config, engine, given, onTick }: Work): Promise<void> {
  const { clock, logger } = engine.io;
  const drive: DriveIo = { ...given, signal };
  const dispatch = openLocalDispatch(drive, (job, payload) => workerJobs[job].run(payload, drive));
  const alerts = openConfigAlertChecks(config, engine);
  const onError = (error: unknown, task: string): void =>
    logger.error({ task, error: describeError(error) }, 'task failed');
  try {
    await runScheduler(schedulerTasks(config, engine, { drive, dispatch, alerts }), { clock, signal, onTick, onError });
  } finally {
    await dispatch.close();
    await alerts.ended();
    // When the store is away, the lease ends by itself.
    await release().catch((error: unknown) => {
      if (!isStoreAway(error)) throw error;
    });
  }
}

/**
 * Takes the deployment's lease. Returns undefined when asked to stop while waiting for it. `beforeRetry`: waits before
 * the next try while the store is away. Absent: a store that is away is an error.
 */
async function takeDeployment(
  { io }: Engine,
  drive: DriveIo,
  beforeRetry?: () => Promise<void>,
): Promise<HeldLease | undefined> {
  const request = { name: deploymentLease, owner: drive.owner, ttlMs: deploymentLeaseMs };
  for (;;) {
    try {
      const held = await takeOverLease(request, { leases: io.store.leases, clock: io.clock }, drive.signal);
      if (held !== undefined) return held;
      break;
    } catch (error) {
      if (drive.signal.aborted) return undefined;
      if (beforeRetry === undefined || !isStoreAway(error)) throw error;
      await beforeRetry().catch(() => {});
    }
  }
  const message =
    'another "rollcall start" works on this store. Without Redis, one is enough: stop the other one first';
  throw new RollcallError(message, { code: 'CONFLICT' });
}
