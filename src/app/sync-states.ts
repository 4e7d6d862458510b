import { RollcallError } from '../core/run/errors.ts';
import { formatInstant } from '../core/run/formats.ts';
import { successOutcomes } from '../ports/alerts.ts';
import type { Run } from '../ports/store.ts';
import type { SyncState } from '../views/syncs.ts';
import type { AppIo } from './app-io.ts';
import { note, type SignedCaller, signature } from './audit.ts';
import { findSync } from './find-named.ts';

/** Number of recent runs that are searched for the newest successful one. */
const searchedRuns = 50;
const isGood = ({ outcome }: Run): boolean => successOutcomes.some((one) => one === outcome);

/** Reads the current state of every configured sync. */
export async function readSyncStates({ engine, syncs, nextSlot }: AppIo): Promise<readonly SyncState[]> {
  const { store, clock } = engine;
  const waiting = await store.triggers.waiting();
  return Promise.all(
    syncs.map(async (view): Promise<SyncState> => {
      const [runs, pause] = await Promise.all([
        store.runs.list({ sync: view.name, limit: searchedRuns }),
        store.pauses.get(view.name),
      ]);
      return {
        ...view,
        pause,
        lastRun: runs[0],
        freshAt: runs.find(isGood)?.startedAt,
        nextSlotAt: pause === undefined ? nextSlot(view.name, clock.now()) : undefined,
        waiting: waiting.filter(({ sync }) => sync === view.name).length,
      };
    }),
  );
}

/** Prevents deployments from starting runs of the sync. Throws `CONFLICT` when it is already paused. */
export async function beginPause({ engine }: AppIo, sync: string, { by, ...order }: SignedCaller): Promise<void> {
  findSync(sync, engine.syncs);
  if (!(await engine.store.pauses.add({ sync, pausedAt: engine.clock.now(), by }))) {
    throw new RollcallError(`${sync} is already paused`, { code: 'CONFLICT' });
  }
  await note({ action: 'pause', by, sync, ...signature(order) }, engine);
}

/**
 * Throws `USAGE` while the sync is paused, because no new run starts then. `waiting`: of a request that is stored and
 * waits for the end of the pause.
 */
export async function refusePaused(sync: string, { engine }: AppIo, waiting = ''): Promise<void> {
  const pause = await engine.store.pauses.get(sync);
  if (pause === undefined) return;
  const since = formatInstant(pause.pausedAt);
  const message = `${sync} has been paused by ${pause.by} since ${since}, so no new run starts${waiting}. Review "rollcall plan ${sync}", then run "rollcall resume ${sync}"`;
  throw new RollcallError(message, { code: 'USAGE' });
}

/** Ends a pause. Throws `CONFLICT` when the sync is not paused. */
export async function endPause({ engine }: AppIo, sync: string, { by, ...order }: SignedCaller): Promise<void> {
  findSync(sync, engine.syncs);
  if (!(await engine.store.pauses.remove(sync))) throw new RollcallError(`${sync} is not paused`, { code: 'CONFLICT' });
  await note({ action: 'resume', by, sync, ...signature(order) }, engine);
}

/** Caches the next slot of each sync until it is due, because the search for a rare slot is slow. */
export function keepNextSlots(find: AppIo['nextSlot']): AppIo['nextSlot'] {
  const kept = new Map<string, { readonly from: number; readonly slot: number | undefined }>();
  return (sync, now) => {
    const known = kept.get(sync);
    const staleAt = known?.slot ?? (known?.from ?? Number.NEGATIVE_INFINITY) + 86_400_000;
    if (known !== undefined && now >= known.from && now < staleAt) return known.slot;
    const slot = find(sync, now);
    kept.set(sync, { from: now, slot });
    return slot;
  };
}
