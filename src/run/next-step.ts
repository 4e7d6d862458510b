import type { Waiting } from '../core/run/waiting.ts';
import type { Run } from '../ports/store.ts';
import type { JobOutcome } from './work.ts';

/**
 * What follows one step of a run. `enter`: `advanceRun` stores that phase, which is all that is left to store. Two
 * verbs store the next phase themselves, because it must be stored together with their result: `planRun` with the plan,
 * and `finishRun` with the outcome.
 */
export type NextStep = (JobOutcome | EnterPhase) & {
  /** What the run waits for until the next step. */
  readonly waiting?: Waiting;
  /** The run, if the step stored it. */
  readonly run?: Run;
};

interface EnterPhase {
  readonly kind: 'enter';
  readonly phase: 'reading' | 'delivering' | 'proving';
  /** Wait in ms before the next step; undefined: none, but other runs may go first. */
  readonly afterMs: number | undefined;
}

/** All that the run delivers is proven, and nothing is left to send. `run`: as it is stored now. */
export interface Proven {
  readonly kind: 'proven';
  readonly run: Run;
}

/** Plans again: reads source and platform from the beginning. */
export const toReading: NextStep = { kind: 'enter', phase: 'reading', afterMs: undefined };

/** Sends the next batch, proves the wave, or finishes the run. */
export const toDelivering: NextStep = { kind: 'enter', phase: 'delivering', afterMs: undefined };

/** Polls the file that is out, or proves the wave, after a wait in ms. */
export function toProving(afterMs = 0, waiting?: Waiting): NextStep {
  return { kind: 'enter', phase: 'proving', afterMs, ...(waiting === undefined ? {} : { waiting }) };
}
