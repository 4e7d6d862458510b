import { finishRun } from '../engine/finish-run.ts';
import type { JobContext } from '../engine/job-context.ts';
import type { Run } from '../ports/store.ts';
import { holdLease } from './hold-lease.ts';
import { type DriveIo, runLeaseMs } from './in-process/drive-run.ts';

/** While a new configuration is rolled out, a run that is unknown here may well be known to its other processes. */
export const orphanRestMs = 5 * 60_000;

interface Stand {
  /** Changes with every step of the run. */
  readonly mark: string;
  readonly since: number;
}

/**
 * Ends runs whose sync is configured no more: nobody could bring them further. One that stood still for `orphanRestMs`
 * while we looked has failed, one that a person has cancelled ends at once. What was out stays unresolved.
 */
export function openOrphans({ engine, owner, signal }: DriveIo): JobContext['orphaned'] {
  const { store, clock, logger } = engine;
  const standing = new Map<string, Stand>();
  return async (run) => {
    const { id, sync, isCancelRequested } = run;
    const mark = await markOf(run, engine);
    const known = standing.get(id);
    if (known?.mark !== mark) {
      standing.set(id, { mark, since: clock.now() });
      const what = 'a run is of a sync that is not configured here: it is ended unless somebody else goes on with it';
      if (known === undefined) logger.warn({ run: id, sync, afterMs: orphanRestMs }, what);
      if (!isCancelRequested) return;
    } else if (!isCancelRequested && clock.now() < known.since + orphanRestMs) return;
    const wish = { name: `run:${id}`, owner: `${owner}-orphans`, ttlMs: runLeaseMs };
    const held = await holdLease(wish, { leases: store.leases, clock }, signal);
    if (held === undefined) return;
    try {
      const failure = isCancelRequested ? undefined : whyEnded(sync);
      await finishRun({ owned: { run, lease: held.lease } }, engine, failure);
      standing.delete(id);
    } finally {
      await held.release();
    }
  };
}

function whyEnded(sync: string): string {
  return `the sync ${sync} is not in the configuration any more, and without it this run cannot go on. If it has another name now, the next run of that one does what is left`;
}

async function markOf({ id, phase, facts }: Run, { store }: DriveIo['engine']): Promise<string> {
  const batches = await store.batches.ofRun(id);
  return JSON.stringify([phase, facts, batches.map(({ state, polls, sentAt }) => [state, polls, sentAt])]);
}
