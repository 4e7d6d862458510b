import { runLease } from '../../ports/leases.ts';
import type { RunContext } from '../../run/engine-io.ts';
import { holdLease } from '../hold-lease.ts';
import type { WorkIo } from './work-io.ts';

/** Thrown when another worker drives the run. Nothing was done. */
export class RunBusy extends Error {
  override readonly name = 'RunBusy';
}

/**
 * Works on a run under its lease, taken for this step only. Returns undefined when the run does not exist or has ended,
 * or when its sync is not configured here. Throws `RunBusy`. The lease's fencing number protects the store from a
 * worker that lost the lease. `lock` aborts when the job belongs to another worker.
 */
export async function withOwnedRun<T>(
  runId: string,
  io: WorkIo,
  lock: AbortSignal,
  work: (context: RunContext) => Promise<T>,
): Promise<T | undefined> {
  const { store, clock, syncs, logger } = io.engine;
  const request = { name: runLease(runId), owner: io.newOwner(), ttlMs: io.runLeaseMs };
  const outer = AbortSignal.any([lock, io.graceOver]);
  const held = await holdLease(request, { leases: store.leases, clock }, outer);
  if (held === undefined) throw new RunBusy(`another worker drives run ${runId}`);
  try {
    const run = await store.runs.get(runId);
    if (run === undefined || run.phase === 'done') return undefined;
    const sync = syncs.get(run.sync);
    if (sync === undefined) {
      logger.warn({ run: runId, sync: run.sync }, 'the sync of this run is not configured here: nothing is done');
      return undefined;
    }
    const stopping = AbortSignal.any([held.signal, io.stop]);
    return await work({ owned: { run, lease: held.lease }, sync, signal: held.signal, stopping });
  } finally {
    await held.release();
  }
}
