import type { Clock, Logger } from '../../ports/runtime.ts';
import type { Presented } from './presentation.ts';

type Unsaved = Extract<Presented, { kind: 'unsaved' }>;

const firstWaitMs = 1000;
const longestWaitMs = 60_000;
/** A process that is asked to stop has about 30 s before it is killed. */
const lastTryMs = 20_000;
const lastPauseMs = 500;

interface UnsavedPairParts {
  readonly connection: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called once the pair is stored. */
  readonly onStored: (presented: Presented) => void;
}

/** A granted pair that the store refused. Lives in memory only, so it is lost with the process. */
export function openUnsavedPair({ connection, clock, logger, onStored }: UnsavedPairParts) {
  let held: Unsaved | undefined;
  let trying: Promise<Presented> | undefined;
  const closing = new AbortController();

  const attempt = async (unsaved: Unsaved): Promise<Presented> => {
    try {
      const presented = await unsaved.store();
      held = undefined;
      logger.info({ connection }, 'the kept token pair is stored');
      onStored(presented);
      return presented;
    } catch (cause) {
      held = { ...unsaved, cause };
      return held;
    }
  };

  const tryNow = async (): Promise<Presented | undefined> => {
    if (held === undefined) return undefined;
    trying ??= attempt(held).finally(() => {
      trying = undefined;
    });
    return trying;
  };

  const tryOn = async (): Promise<void> => {
    for (let waitMs = firstWaitMs; held !== undefined; waitMs = Math.min(longestWaitMs, 2 * waitMs)) {
      await clock.sleep(waitMs, closing.signal);
      await tryNow();
    }
  };

  return {
    /** Keeps the pair, says so once, and tries to store it until that succeeds or `close` is called. */
    keep(unsaved: Unsaved) {
      held = unsaved;
      const error = unsaved.cause instanceof Error ? unsaved.cause.name : undefined;
      const text =
        'a new token pair is kept in memory, because the store refuses it: repair the store, and do not stop this process';
      logger.error({ connection, error }, text);
      tryOn().catch(() => {}); // Ends only by `close`.
    },
    /** Returns why the kept pair is not stored. Undefined when there is none. */
    trouble: () => held && { cause: held.cause },
    /** Tries once, now. Returns undefined when there is nothing to store. */
    tryNow,
    /** Ends the tries with a last one that has more time. Says so when the pair is lost. */
    async close() {
      closing.abort(new Error('the token manager is closed'));
      const giveUpAt = clock.now() + lastTryMs;
      while ((await tryNow())?.kind === 'unsaved') {
        if (clock.now() >= giveUpAt) {
          logger.error(
            { connection },
            'a new token pair is lost, because the store refused it until the process stopped',
          );
          return;
        }
        await clock.sleep(lastPauseMs);
      }
    },
  };
}
