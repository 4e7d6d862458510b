import type { RunContext } from '../../engine/engine-io.ts';
import type { Run } from '../../ports/store.ts';
import { holdLease } from '../hold-lease.ts';
import type { WorkIo } from './work-job.ts';

/** Longer than a worker is ever blocked, short enough that a dead one's run goes on within seconds. */
export const runLeaseMs = 6000;

/** Somebody else drives the run now, or has moved it on: nothing was done. */
export class RunBusy extends Error {
  override readonly name = 'RunBusy';
}

export interface Taking {
  readonly io: WorkIo;
  /** Aborts when the job is not ours any more. */
  readonly lock: AbortSignal;
  /** The run as the step was chosen for it. */
  readonly expected: Run | undefined;
  /** Whether a call that is under way may still end when the process is to stop. */
  readonly isSending: boolean;
}

/**
 * Works on a run under its lease, taken for this step alone. Undefined when there is no such run, it has ended, or its
 * sync is not configured here. Throws `RunBusy`. The fence of the lease keeps the store safe from whoever lost it.
 */
export async function withOwnedRun<T>(
  runId: string,
  { io, lock, expected, isSending }: Taking,
  work: (context: RunContext) => Promise<T>,
): Promise<T | undefined> {
  const { store, clock, syncs, logger } = io.engine;
  const wish = { name: `run:${runId}`, owner: io.newOwner(), ttlMs: runLeaseMs };
  const outer = AbortSignal.any([lock, io.patience]);
  const held = await holdLease(wish, { leases: store.leases, clock }, outer);
  if (held === undefined) throw new RunBusy(`run ${runId} is driven by somebody else`);
  try {
    const run = await store.runs.get(runId);
    if (run === undefined || run.phase === 'done') return undefined;
    const sync = syncs.get(run.sync);
    if (sync === undefined) {
      logger.warn({ run: runId, sync: run.sync }, 'the run is of a sync that is not configured here: left alone');
      return undefined;
    }
    if (expected !== undefined && isPlanned(expected) !== isPlanned(run)) {
      throw new RunBusy(`run ${runId} has moved on`);
    }
    const stopping = AbortSignal.any([held.signal, io.stop]);
    return await work({
      owned: { run, lease: held.lease },
      sync,
      signal: isSending ? held.signal : stopping,
      stopping,
    });
  } finally {
    await held.release();
  }
}

function isPlanned({ phase }: Run): boolean {
  return phase !== 'reading' && phase !== 'planning';
}
