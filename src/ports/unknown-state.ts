import type { Phase } from '../core/run.ts';

declare const unknown: unique symbol;

/**
 * A state that a newer version stored and that this one does not know. It is read and shown as it is. This version
 * leaves its run alone: it never advances, recovers, ends or prunes it.
 */
export type UnknownState = string & { readonly [unknown]: true };

const knownPhases: Readonly<Record<Phase, true>> = {
  reading: true,
  planning: true,
  delivering: true,
  proving: true,
  done: true,
};

/** All phases that this version knows. */
export const phases = Object.keys(knownPhases) as readonly Phase[];

/** Whether this version knows the phase, and may work on a run that is in it. */
export function isKnownPhase(phase: Phase | UnknownState): phase is Phase {
  return Object.hasOwn(knownPhases, phase);
}
