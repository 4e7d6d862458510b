import { describeError, isStoreAway, RollcallError } from '../core/run/errors.ts';
import { addCounts, type RequestPurpose } from '../core/run/requests.ts';
import { isSameWait, type Waiting, waitAfterError, waitingWords } from '../core/run/waiting.ts';
import type { OwnedRun, Run, RunPatch } from '../ports/store.ts';
import type { EngineIo, RunContext } from './engine-io.ts';

/** Number of requests after which they are stored before the step ends. A killed worker loses at most so many. */
const storedEvery = 100;

/** Takes the requests that the caller stores with the run, in a write that it makes anyway. */
export type UnstoredRequests = () => Pick<RunPatch, 'requests'>;

/**
 * Runs a step of a run, and adds its requests to those that are stored with the run. The step may store them itself.
 */
export async function countingRequests<T>(
  { owned }: Pick<RunContext, 'owned'>,
  io: EngineIo,
  step: (unstored: UnstoredRequests) => Promise<T>,
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
  const take: UnstoredRequests = () => {
    if (unstored === 0) return {};
    unstored = 0;
    return { requests: counts };
  };
  try {
    return await io.countRequests(count, () => step(take));
  } finally {
    if (unstored > 0) store();
    await storing;
  }
}

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
      const problem = { at: io.clock.now(), reason: error.message };
      await io.store.runs
        .update(owned, { problem, waiting: waitOf(owned, error, io) })
        // The caller retries the problem itself, which matters more than the note.
        .catch((cause) => io.logger.debug({ run: owned.run.id, error: describeError(cause) }, 'problem not stored'));
    }
    throw error;
  }
}

function waitOf({ run }: OwnedRun, error: RollcallError, { clock }: EngineIo): Waiting {
  const waiting = waitAfterError(error, clock.now());
  const known = run.waiting;
  return known?.for === waiting.for ? { ...waiting, since: known.since } : waiting;
}

/**
 * Reports what the run waits for. Returns what the caller stores of it: the wait, or that the run continues; undefined
 * when the same is stored. The same wait is logged once.
 */
export function tellWaiting(
  { owned }: Pick<RunContext, 'owned'>,
  waiting: Waiting | undefined,
  { progress, logger }: EngineIo,
): Pick<Run, 'waiting'> | undefined {
  const { run } = owned;
  const known = run.waiting;
  if (waiting !== undefined) progress({ step: 'waiting', waiting });
  if (isSameWait(known, waiting)) return undefined;
  if (waiting !== undefined) {
    logger.info({ run: run.id, sync: run.sync, waitsFor: waiting.for }, waitingWords(waiting));
  }
  return { waiting };
}

/**
 * Keeps a raw answer of another system beside the run, sealed, for operators who may read it. Never fails the run: an
 * error of the store is logged, because the text only explains what is reported elsewhere.
 */
export async function keepRaw(
  owned: OwnedRun,
  { about, text }: { readonly about: string; readonly text: string | undefined },
  { store, clock, logger }: Pick<EngineIo, 'store' | 'clock' | 'logger'>,
): Promise<void> {
  if (text === undefined || text === '') return;
  try {
    await store.rawTexts.add(owned, { at: clock.now(), about, text });
  } catch {
    logger.warn(
      { run: owned.run.id, about: 'raw text' },
      'a raw answer of another system could not be stored with the run',
    );
  }
}
