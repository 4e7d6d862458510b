import { describeError, isStoreAway, RollcallError } from '../core/run/errors.ts';
import type { EngineIo, RunContext } from './engine-io.ts';
import { updateFacts } from './update-facts.ts';

/**
 * Runs a step of a run. A temporary problem is stored with the run before it is thrown, because only the process that
 * retries would know it otherwise.
 */
export async function notingProblem<T>(
  { owned }: Pick<RunContext, 'owned'>,
  io: EngineIo,
  step: () => Promise<T>,
): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof RollcallError && error.retry !== 'never' && !isStoreAway(error)) {
      await updateFacts(owned, { problem: { at: io.clock.now(), reason: error.message } }, io)
        // The caller retries the problem itself, which matters more than the note.
        .catch((cause) => io.logger.debug({ run: owned.run.id, error: describeError(cause) }, 'problem not stored'));
    }
    throw error;
  }
}
