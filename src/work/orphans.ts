import { runLease } from '../ports/leases.ts';
import type { Run } from '../ports/store.ts';
import { finishRun } from '../run/finish-run.ts';
import { type DriveIo, runLeaseMs } from './in-process/drive-run.ts';
import { underLease } from './lease.ts';

/**
 * Grace period (ms) for runs of an unknown sync. During the rollout of a new configuration, other processes may still
 * know it.
 */
export const orphanGraceMs = 5 * 60_000;

interface Seen {
  /** Changes with every step of the run. */
  readonly progress: string;
  readonly since: number;
}

/**
 * Opens a function that ends runs whose sync was removed from the configuration, because no process can continue them.
 * A run without progress for `orphanGraceMs` fails; a canceled run ends at once. Batches that are out stay unresolved.
 */
export function openOrphans({ engine, owner, signal }: DriveIo): (run: Run) => Promise<void> {
  const { store, clock, logger } = engine;
  const seen = new Map<string, Seen>();
  return async (run) => {
    const { id, sync, isCancelRequested } = run;
    const progress = await progressOf(run, engine);
    const known = seen.get(id);
    if (known?.progress !== progress) {
      seen.set(id, { progress, since: clock.now() });
      const what = 'the sync of a run is not configured here: the run ends unless another process continues it';
      if (known === undefined) logger.warn({ run: id, sync, afterMs: orphanGraceMs }, what);
      if (!isCancelRequested) return;
    } else if (!isCancelRequested && clock.now() < known.since + orphanGraceMs) return;
    const request = { name: runLease(id), owner: `${owner}-orphans`, ttlMs: runLeaseMs };
    await underLease(request, { leases: store.leases, clock }, signal, async ({ lease }) => {
      const failure = isCancelRequested ? undefined : whyEnded(sync);
      await finishRun({ owned: { run, lease } }, engine, failure);
      seen.delete(id);
    });
  };
}

function whyEnded(sync: string): string {
  return `the sync ${sync} is no longer in the configuration, so this run cannot continue. If the sync was renamed, the next run under the new name makes the remaining changes`;
}

async function progressOf({ id, phase, facts }: Run, { store }: DriveIo['engine']): Promise<string> {
  const batches = await store.batches.ofRun(id);
  return JSON.stringify([phase, facts, batches.map(({ state, polls, sentAt }) => [state, polls, sentAt])]);
}
