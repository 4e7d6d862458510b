import type { EngineIo } from './engine-io.ts';

const dayMs = 86_400_000;
const keptForMs = 90 * dayMs;
const keptRuns = 50;
/** Shown plans hold everybody whom they would change, and nobody may approve one after a day. */
const shownForMs = 7 * dayMs;

/** Drops the details of old runs, and old plans that were only shown; the ledger stays whole. */
export async function pruneOld(io: EngineIo): Promise<void> {
  const now = io.clock.now();
  const dropped = await io.store.runs.prune(now - keptForMs, keptRuns, now - shownForMs);
  if (dropped > 0) io.logger.info({ dropped }, 'old runs pruned');
}

/** The same beside other work, for commands that may be all that ever runs on a store: its trouble is only logged. */
export async function pruneBeside(io: EngineIo): Promise<void> {
  await pruneOld(io).catch((error: unknown) => {
    io.logger.warn({ error: error instanceof Error ? error.message : 'unknown' }, 'old runs were not pruned');
  });
}
