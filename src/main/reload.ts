import { ConfigError, renderProblem } from '../config/report.ts';
import { describeError, RollcallError } from '../core/run/errors.ts';
import type { Logger } from '../ports/runtime.ts';

export interface ReloadIo {
  readonly signal: AbortSignal;
  /** Calls the listener at each SIGHUP, until the returned function is called. */
  readonly onHangup: ((listener: () => void) => () => void) | undefined;
  /** Reads the configuration again. Throws `ConfigError` with every problem, and changes nothing. */
  readonly checkConfig: () => Promise<unknown>;
  readonly logger: Logger;
}

/**
 * Works until the signal aborts, or until a SIGHUP finds a configuration without a problem: then the work stops at its next
 * safe point, as for SIGTERM, and the result is `reload`. A configuration with a problem is logged, and the work continues
 * with the one it has.
 */
export async function workUntilReload(
  { signal, onHangup, checkConfig, logger }: ReloadIo,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<'stopped' | 'reload'> {
  const reloading = new AbortController();
  const reload = async (): Promise<void> => {
    try {
      await checkConfig();
      logger.info(
        {},
        'SIGHUP: reading the configuration again; runs in progress stop at a safe point and continue with it',
      );
      reloading.abort(new RollcallError('the configuration was read again', { code: 'CANCELLED' }));
    } catch (error) {
      const problems = error instanceof ConfigError ? error.problems.map(renderProblem) : [describeError(error)];
      logger.error(
        { problems },
        'SIGHUP: the configuration has problems, so this process continues with the one it has',
      );
    }
  };
  const forget = onHangup?.(() => void reload());
  try {
    await work(AbortSignal.any([signal, reloading.signal]));
  } finally {
    forget?.();
  }
  return reloading.signal.aborted && !signal.aborted ? 'reload' : 'stopped';
}
