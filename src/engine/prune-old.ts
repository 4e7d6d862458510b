import { describeError } from '../core/errors.ts';
import type { EngineIo } from './engine-io.ts';

const dayMs = 86_400_000;
const keptForMs = 90 * dayMs;
const keptRuns = 50;
/** Shown plans contain all people whom they would change, and cannot be approved after one day. */
const shownForMs = 7 * dayMs;

/** Deletes the details of old runs, and old plans that were only shown. Keeps the whole ledger. */
export async function pruneOld(io: EngineIo): Promise<void> {
  const now = io.clock.now();
  const dropped = await io.store.runs.prune(now - keptForMs, keptRuns, now - shownForMs);
  if (dropped > 0) io.logger.info({ dropped }, 'old runs pruned');
}

/** Prunes in addition to other work, for commands that may be the only ones to use a store. Errors are only logged. */
export async function pruneBeside(io: EngineIo): Promise<void> {
  await pruneOld(io).catch((error: unknown) => {
    io.logger.warn({ error: describeError(error) }, 'old runs were not pruned');
  });
}
