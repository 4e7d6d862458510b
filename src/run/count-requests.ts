import { describeError } from '../core/run/errors.ts';
import { addCounts, type RequestPurpose } from '../core/run/requests.ts';
import type { EngineIo, RunContext } from './engine-io.ts';

/** Number of requests after which they are stored before the step ends. A killed worker loses at most so many. */
const storedEvery = 100;

/** Runs a step of a run, and adds its requests to those that are stored with the run. */
export async function countingRequests<T>(
  { owned }: Pick<RunContext, 'owned'>,
  io: EngineIo,
  step: () => Promise<T>,
): Promise<T> {
  let counts = owned.run.requests;
  let unstored = 0;
  let storing: Promise<unknown> = Promise.resolve();
  const store = (): void => {
    unstored = 0;
    storing = storing
      .then(() => io.store.runs.update(owned, { requests: counts }))
      // The step itself fails with the same error. Otherwise the count alone must not end a step that succeeded.
      .catch((error) => io.logger.debug({ run: owned.run.id, error: describeError(error) }, 'requests not stored'));
  };
  const count = (purpose: RequestPurpose): void => {
    counts = addCounts(counts, { [purpose]: 1 });
    unstored += 1;
    if (unstored >= storedEvery) store();
  };
  try {
    return await io.countRequests(count, step);
  } finally {
    if (unstored > 0) store();
    await storing;
  }
}
