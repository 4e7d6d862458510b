import type { JobOutcome } from '../ports/job.ts';
import type { Step, Verb } from './step.ts';

/** Which job takes which step of a run. */
export const jobOfVerb = {
  plan: 'sync',
  deliver: 'deliver',
  settle: 'settle',
  finish: 'finish',
} as const satisfies Record<Verb, string>;

/** What a job of a run is about: ids, never people. */
export interface RunPayload {
  readonly run: string;
  readonly batch?: string | undefined;
}

/** The job that a step asks for. */
export function continueWith(run: string, step: Step): JobOutcome {
  if (step.kind === 'ended') return { kind: 'done' };
  const { verb, batch, afterMs } = step;
  const payload: RunPayload = batch === undefined ? { run } : { run, batch };
  return { kind: 'continue', job: jobOfVerb[verb], payload, afterMs, key: `${verb}_${batch ?? run}` };
}
