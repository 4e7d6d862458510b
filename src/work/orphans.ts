import { runLease, runLeaseMs, workersLease } from '../ports/leases.ts';
import { isKnownPhase } from '../ports/runs.ts';
import type { Run } from '../ports/store.ts';
import { finishRun } from '../run/finish-run.ts';
import { underLease } from '../run/lease.ts';
import type { DriveIo } from './drive-run.ts';

/**
 * Grace period (ms) for runs of an unknown sync. During the rollout of a new configuration, other processes may still
 * know it.
 */
export const orphanGraceMs = 5 * 60_000;

/**
 * Opens a function that ends runs whose sync was removed from the configuration, because no process can continue them.
 * A run without progress for `orphanGraceMs` fails; a canceled run ends at once. Batches that are out stay unresolved.
 */
export function openOrphans(io: DriveIo): (run: Run) => Promise<void> {
  const { engine } = io;
  const { clock, logger } = engine;
  const seen = new Map<string, { readonly progress: string; readonly since: number }>();
  return async (run) => {
    const { id, sync, isCancelRequested, phase, delivery, problem } = run;
    const batches = (await engine.store.batches.ofRun(id)).map(({ state, polls, sentAt }) => [state, polls, sentAt]);
    // Changes with every step of the run.
    const progress = JSON.stringify([phase, delivery, problem, batches]);
    const known = seen.get(id);
    if (known?.progress !== progress) {
      seen.set(id, { progress, since: clock.now() });
      const what = 'the sync of a run is not configured here: the run ends unless another process continues it';
      if (known === undefined) logger.warn({ run: id, sync, afterMs: orphanGraceMs }, what);
      if (!isCancelRequested) return;
    } else if (!isCancelRequested && clock.now() < known.since + orphanGraceMs) return;
    if (await endOrphan(run, io)) seen.delete(id);
  };
}

/**
 * Ends the runs of removed syncs where no deployment does, and returns them: another command left them. The next run of the
 * connection reads back what they sent.
 */
export async function endOrphans(io: DriveIo, isDeployed: () => Promise<boolean>): Promise<readonly Run[]> {
  const { store, syncs, clock } = io.engine;
  const known = new Set([...syncs].flatMap(([name, { storedAs = name }]) => [name, storedAs]));
  const orphans = (await store.runs.unfinished()).filter(({ sync, phase }) => isKnownPhase(phase) && !known.has(sync));
  if (orphans.length === 0 || (await isDeployed())) return [];
  if ((await store.leases.holder(workersLease, clock.now())) !== undefined) return [];
  const ended: Run[] = [];
  for (const run of orphans) if (await endOrphan(run, io)) ended.push(run);
  return ended;
}

/** Returns whether the run was ended: not while another process has it. */
async function endOrphan(run: Run, { engine, owner, signal }: DriveIo): Promise<boolean> {
  const request = { name: runLease(run.id), owner: `${owner}-orphans`, ttlMs: runLeaseMs };
  const why = `the sync ${run.sync} is no longer in the configuration, so this run cannot continue. The next run of the connection reads back what it sent. If the sync was renamed, the next run under the new name makes the remaining changes`;
  const done = await underLease(request, { leases: engine.store.leases, clock: engine.clock }, signal, ({ lease }) =>
    finishRun({ owned: { run, lease } }, engine, run.isCancelRequested ? undefined : why),
  );
  return done !== undefined;
}
