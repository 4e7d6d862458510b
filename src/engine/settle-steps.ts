import type { JobOutcome } from '../ports/job.ts';
import type { Batch } from '../ports/store.ts';
import type { EngineIo, RunContext } from './engine-io.ts';

const longestPollMs = 60_000;

/**
 * Polls again after a growing wait. It starts with `settle.every` and grows by half each time, up to one minute.
 * `atLeastMs` is the wait that the platform requested.
 */
export function pollAgain({ sync }: RunContext, batch: Batch, atLeastMs = 0): JobOutcome {
  const { everyMs } = sync.settings.settle;
  const afterMs = Math.min(everyMs * 1.5 ** Math.min(batch.polls, 20), Math.max(longestPollMs, everyMs));
  return { kind: 'again', afterMs: Math.round(Math.max(afterMs, atLeastMs)) };
}

/** Returns the run to delivery after its batch has ended. */
export async function toDelivery({ owned }: RunContext, io: EngineIo): Promise<JobOutcome> {
  await io.store.runs.update(owned, { phase: 'delivering' });
  return { kind: 'next' };
}

/** Returns whether the platform has a file of ours without a final status. */
export function isFilePending({ fileId, final }: Batch): boolean {
  return fileId !== undefined && final === undefined;
}
