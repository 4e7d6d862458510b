import { workerJobs } from '../../jobs/index.ts';
import type { Config } from '../config/config.ts';
import { describeError, RollcallError } from '../core/errors.ts';
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
 * process to expire.
 */
export async function runDeployment(
  config: Config,
  engine: Engine,
  given: DriveIo,
  { onReady, onTick = () => {} }: DeploymentHooks,
): Promise<void> {
  const held = await takeDeployment(engine, given);
  if (held === undefined) return;
  const { clock, logger } = engine.io;
  const { signal } = held;
  const drive: DriveIo = { ...given, signal };
  const dispatch = openLocalDispatch(drive, (job, payload) => workerJobs[job].run(payload, drive));
  const alerts = openConfigAlertChecks(config, engine);
  const onError = (error: unknown, task: string): void =>
    logger.error({ task, error: describeError(error) }, 'task failed');
  onReady();
  try {
    await runScheduler(schedulerTasks(config, engine, { drive, dispatch, alerts }), { clock, signal, onTick, onError });
  } finally {
    await dispatch.close();
    await alerts.ended();
    await held.release();
  }
  if (!given.signal.aborted) signal.throwIfAborted();
}

/** Takes the deployment's lease. Returns undefined when asked to stop while waiting for it. */
async function takeDeployment({ io }: Engine, drive: DriveIo): Promise<HeldLease | undefined> {
  const request = { name: deploymentLease, owner: drive.owner, ttlMs: deploymentLeaseMs };
  try {
    const held = await takeOverLease(request, { leases: io.store.leases, clock: io.clock }, drive.signal);
    if (held !== undefined) return held;
  } catch (error) {
    if (drive.signal.aborted) return undefined;
    throw error;
  }
  const message =
    'another "rollcall start" works on this store. Without Redis, one is enough: stop the other one first';
  throw new RollcallError(message, { code: 'CONFLICT' });
}
