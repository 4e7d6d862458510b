import { runJob, schedulerWork } from '../../jobs/index.ts';
import type { Config } from '../config/config.ts';
import { describeError, RollcallError } from '../core/run/errors.ts';
import { deploymentLease } from '../ports/leases.ts';
import { deploymentLeaseMs, refuseBesideWorkers } from '../work/deployment-lease.ts';
import { openLocalDispatch } from '../work/in-process/dispatch.ts';
import { type DriveIo, runlessContext } from '../work/in-process/drive-run.ts';
import { runScheduler } from '../work/scheduler.ts';
import { type LeasedWork, workUnderLease } from '../work/work-under-lease.ts';
import type { Engine } from './open-engine.ts';
import { schedulerContext } from './scheduler-tasks.ts';
import { openConfigAlertChecks } from './watch-alerts.ts';

export interface DeploymentHooks {
  readonly onReady: () => void;
  /** Called after each tick of the scheduler. */
  readonly onTick?: () => void;
}

/**
 * Runs `rollcall start` without Redis: the scheduler and all work in this process. The store is the source of truth, so
 * a `resync` or an `approve` from another shell takes effect within a second. Returns when the signal aborts and every
 * run is at a safe place. Throws CONFLICT when another process works on the same store, also a worker with Redis. Waits for the lease of a dead
 * process to expire. When the store is unavailable for longer than the lease lasts, waits for the store and continues.
 */
export async function runDeployment(
  config: Config,
  engine: Engine,
  given: DriveIo,
  { onReady, onTick = () => {} }: DeploymentHooks,
): Promise<void> {
  const { clock, logger, store } = engine.io;
  const onError = (error: unknown, task: string): void =>
    logger.error({ task, error: describeError(error) }, 'task failed');
  const request = { name: deploymentLease, owner: given.owner, ttlMs: deploymentLeaseMs };
  const work: LeasedWork = {
    onReady,
    async run(signal) {
      const drive: DriveIo = { ...given, signal };
      const dispatch = openLocalDispatch(drive, (job, payload) => runJob(job, payload, runlessContext(drive)));
      const alerts = openConfigAlertChecks(config, engine);
      try {
        const context = schedulerContext(config, engine, { drive, dispatch, alerts });
        await runScheduler(schedulerWork, context, { clock, signal, onTick, onError });
      } finally {
        await dispatch.close();
        await alerts.ended();
      }
    },
    conflict() {
      const message =
        'another "rollcall start" uses this store. Without Redis, only one may run: stop the other one first';
      return new RollcallError(message, { code: 'CONFLICT' });
    },
  };
  try {
    await refuseBesideWorkers(engine.io, given.signal);
  } catch (error) {
    if (given.signal.aborted) return;
    throw error;
  }
  await workUnderLease(request, work, { leases: store.leases, clock, logger }, given.signal);
}
