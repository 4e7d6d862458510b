import { RollcallError } from '../core/run/errors.ts';
import type { Clock } from '../ports/runtime.ts';

/** How long a call in progress may continue after a stop request (ms). */
const stopGraceMs = 8000;

export interface StopGrace {
  /** Aborts a grace period after the stop request. */
  readonly over: AbortSignal;
  /** Ends the wait, because the work has ended. */
  end(): void;
}

/** Waits for a stop request, and then for the grace period. Must be ended. */
export function openStopGrace(stop: AbortSignal, clock: Clock): StopGrace {
  const over = new AbortController();
  const ended = new AbortController();
  const begin = (): void => {
    clock.sleep(stopGraceMs, ended.signal).then(
      () => over.abort(stop.reason),
      () => {},
    );
  };
  stop.addEventListener('abort', begin, { once: true });
  return {
    over: over.signal,
    end() {
      stop.removeEventListener('abort', begin);
      ended.abort(new RollcallError('the work has ended', { code: 'CANCELLED' }));
    },
  };
}
