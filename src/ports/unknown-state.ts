import type { Phase } from '../core/run/run.ts';

declare const unknown: unique symbol;

/**
 * A state that a newer version stored and that this version does not know. It is read and displayed unchanged. This
 * version never advances, recovers, ends or prunes its run.
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

/** Returns whether this version knows the phase and can work on a run in it. */
export function isKnownPhase(phase: Phase | UnknownState): phase is Phase {
  return Object.hasOwn(knownPhases, phase);
}
