import type { ChangeClass, ChangeKind } from '../plan/change.ts';
import { countOf } from './formats.ts';
import type { ChangeState, Counts, Outcome } from './run.ts';

/** The end state of a run, from which its outcome is chosen. */
export interface RunEnd {
  readonly counts: Counts;
  readonly states: Readonly<Record<ChangeState, number>>;
  readonly isCancelled: boolean;
  /** A guard doubts the read and requires approval, even if no change is held. */
  readonly isReadDoubted: boolean;
  /** Why the read is doubted, as a sentence without its full stop. Spares a search in the findings. */
  readonly doubt: string | undefined;
  /** Number of people without a sent change because the outcome of an earlier change is not known. */
  readonly waiting?: number;
  /** Number of named people of whom the source returned no record. */
  readonly unknown?: number;
  /** Number of people whose changes an undo left as they are. */
  readonly notUndone?: number;
  /** Why the run could not do its work; not all changes were tried. */
  readonly failure: string | undefined;
  /** Why the source read was not fully proven. With gaps, the run never counts as a success. */
  readonly gaps: readonly string[];
}

export interface OutcomeAndReason {
  readonly outcome: Outcome;
  readonly reason: string | undefined;
}

/** Returns the outcome: `failed` before `cancelled` before `partial` before `held` (design, section 8). */
export function chooseOutcome(end: RunEnd): OutcomeAndReason {
  const { counts, states, gaps, doubt, waiting = 0, unknown = 0, notUndone = 0 } = end;
  if (end.failure !== undefined) return { outcome: 'failed', reason: end.failure };
  const bad = [
    counts.failed > 0 ? `${countOf(counts.failed, 'change')} failed` : undefined,
    counts.unresolved > 0
      ? `${countOf(counts.unresolved, 'change has', 'changes have')} an unknown outcome`
      : undefined,
  ].filter((text) => text !== undefined);
  if (end.isCancelled) {
    const parts =
      bad.length > 0 && states.dropped === 0 ? bad : [...bad, `${countOf(states.dropped, 'change')} not sent`];
    return { outcome: 'cancelled', reason: `cancelled: ${parts.join(', ')}` };
  }
  const trouble = [
    ...bad,
    waiting > 0
      ? `${countOf(waiting, 'person waits', 'people wait')} until the outcome of an earlier change is known`
      : undefined,
    unknown > 0 ? `the source does not know ${countOf(unknown, 'named person', 'named people')}` : undefined,
    notUndone > 0
      ? `the changes of ${countOf(notUndone, 'person', 'people')} were not undone, or only in part`
      : undefined,
    gaps.length > 0 ? `the source was not read completely (${gaps.join('; ')})` : undefined,
  ].filter((text) => text !== undefined);
  const also = doubt === undefined ? '' : `; ${doubt}`;
  if (trouble.length > 0) return { outcome: 'partial', reason: `${trouble.join(', ')}${also}` };
  if (counts.held > 0)
    return { outcome: 'held', reason: `${countOf(counts.held, 'change waits', 'changes wait')} for approval${also}` };
  if (end.isReadDoubted) {
    const why = doubt ?? 'the source looks wrong (see the findings)';
    return { outcome: 'held', reason: `${why}: approve the run if the source is right` };
  }
  if (states.exported > 0)
    return {
      outcome: 'exported',
      reason: `${countOf(states.exported, 'change was', 'changes were')} written to files`,
    };
  return { outcome: counts.applied + counts.unverified > 0 ? 'succeeded' : 'nothing-to-do', reason: undefined };
}

/** Returns the counts of the report, from the planned changes and their states. */
export function countChanges(
  kinds: Readonly<Record<ChangeKind, number>>,
  classes: Readonly<Record<ChangeClass, number>>,
  states: Readonly<Record<ChangeState, number>>,
  repeated: number,
): Counts {
  return {
    ...kinds,
    firstSight: classes.firstSight,
    held: states.held,
    applied: states.applied,
    failed: states.failed,
    unverified: states.unverified,
    unresolved: states.unresolved,
    repeated,
  };
}

/** Exit codes of the command line (design, section 8). */
export const exitCodes: Readonly<Record<Outcome, number>> = {
  succeeded: 0,
  'nothing-to-do': 0,
  exported: 0,
  failed: 1,
  cancelled: 1,
  held: 3,
  partial: 4,
};

/* No changes, by kind and by state: where a count begins. */

export const noKinds: Readonly<Record<ChangeKind, number>> = { create: 0, update: 0, enable: 0, disable: 0, remove: 0 };

export const noStates: Readonly<Record<ChangeState, number>> = {
  planned: 0,
  held: 0,
  sent: 0,
  applied: 0,
  failed: 0,
  unverified: 0,
  unresolved: 0,
  exported: 0,
  dropped: 0,
};
