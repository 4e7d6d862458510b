import { RollcallError } from '../core/run/errors.ts';
import type { Clock } from '../ports/runtime.ts';

/** How long a call in progress may continue after a stop request (ms). */
const stopGraceMs = 8000;

/** Waits for a stop request, and then for the grace period, after which `over` aborts. Must be ended when the work has. */
export function openStopGrace(stop: AbortSignal, clock: Clock) {
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
    end(): void {
      stop.removeEventListener('abort', begin);
      ended.abort(new RollcallError('the work has ended', { code: 'CANCELLED' }));
    },
  };
}
