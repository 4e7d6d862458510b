import type { Clock } from '../../ports/runtime.ts';
import type { Run } from '../../ports/store.ts';
import { tooOldToSend } from './plan-age.ts';

/** Returns why the run sends nothing more: canceled, given up, or its plan is too old. Undefined when it continues. */
export function whyStopped(run: Run, clock: Clock): string | undefined {
  return run.isCancelRequested ? 'canceled' : (run.reason ?? tooOldToSend(run, clock));
}
