import { lacksStatus } from '../guard/blocked.ts';
import { type ChangeClass, type ChangeKind, changeKinds } from '../plan/change.ts';
import type { PlanFacts } from './facts.ts';
import { countOf } from './formats.ts';
import { type ChangeState, type Counts, changeStates, type Outcome, zeros } from './run.ts';

/** The end state of a run, from which its outcome is chosen. */
export interface RunEnd {
  readonly counts: Counts;
  readonly states: Readonly<Record<ChangeState, number>>;
  readonly isCancelled: boolean;
  /** Why the run could not do its work; not all changes were tried. */
  readonly failure: string | undefined;
  readonly plan: PlanFacts;
}

export interface OutcomeAndReason {
  readonly outcome: Outcome;
  readonly reason: string | undefined;
  /** Everything that keeps the run from being whole, the reason of its outcome first. */
  readonly reasons: readonly string[];
  /** Whether the run did its work. True for a partial run in which only records of the source are in trouble. */
  readonly isSuccess: boolean;
}

/**
 * Returns the outcome: `failed` before `cancelled`, `partial` if a change failed, `held` if something waits for a person,
 * `partial` if people wait for an earlier change, the read was not complete or records are in trouble (design, section 8).
 */
export function chooseOutcome(end: RunEnd): OutcomeAndReason {
  const { counts, states } = end;
  const { doubt, isReadDoubted, blocked, unknownPeople, notUndone, sourceGaps, access, createsWait } = end.plan;
  const waiting = blocked.unresolved ?? 0;
  const { cause } = access;
  const bad = [
    ...told(counts.failed, (some) => `${countOf(some, 'change')} failed`),
    ...told(counts.unresolved, (some) => `${countOf(some, 'change has', 'changes have')} an unknown outcome`),
  ];
  const late = told(
    waiting,
    (some) => `${countOf(some, 'person waits', 'people wait')} until the outcome of an earlier change is known`,
  );
  const held = told(counts.held, (some) => `${countOf(some, 'change needs', 'changes need')} approval`);
  const doubted = doubt ?? (isReadDoubted ? 'the source looks wrong (see the findings)' : undefined);
  const unread = [
    ...told(
      createsWait,
      (some) => `${countOf(some, 'person has', 'people have')} no account, because creates had no effect`,
    ),
    ...told(unknownPeople, (some) => `the source does not know ${countOf(some, 'named person', 'named people')}`),
    ...told(
      notUndone,
      (some) => `the changes of ${countOf(some, 'person', 'people')} were not undone, or only in part`,
    ),
    ...(sourceGaps.length === 0 ? [] : [`the source was not read completely (${sourceGaps.join('; ')})`]),
  ];
  const rows =
    access.keep + access.lack === 0 ? [] : [`${accessWords(end.plan)}${cause === undefined ? '' : ` (${cause})`}`];
  const rest = [...late, ...unread, ...rows];
  const doubts = doubted === undefined ? [] : [doubted];
  if (end.failure !== undefined) return ended('failed', end.failure, [end.failure, ...bad]);
  if (end.isCancelled) {
    const parts =
      bad.length > 0 && states.dropped === 0 ? bad : [...bad, `${countOf(states.dropped, 'change')} not sent`];
    return ended('cancelled', `cancelled: ${parts.join(', ')}`, parts);
  }
  const also = doubt === undefined ? [] : [doubt];
  if (bad.length > 0) {
    const first = [...bad, ...late, ...unread].join(', ');
    return ended('partial', [first, ...also].join('; '), [...bad, ...held, ...doubts, ...rest]);
  }
  const unproven = [...late, ...unread];
  if (held.length > 0 || isReadDoubted) {
    const asked =
      held.length > 0 ? [...held, ...also] : doubts.map((why) => `${why}: approve the run if the source is right`);
    const why = [...asked, ...unproven].join('; ');
    return { ...ended('held', why, [...held, ...doubts, ...rest]), isSuccess: unproven.length === 0 };
  }
  if (unproven.length > 0) {
    return ended('partial', [[...unproven, ...rows].join(', '), ...also].join('; '), [...rest, ...also]);
  }
  if (rows.length > 0) return { ...ended('partial', rows[0], rows), isSuccess: true };
  const exported = told(states.exported, (some) => `${countOf(some, 'change was', 'changes were')} written to files`);
  if (exported.length > 0) return ended('exported', exported[0], exported);
  return ended(counts.applied + counts.unverified > 0 ? 'succeeded' : 'nothing-to-do', undefined, []);
}

function ended(outcome: Outcome, reason: string | undefined, reasons: readonly string[]): OutcomeAndReason {
  return { outcome, reason, reasons, isSuccess: exitCodes[outcome] === 0 };
}

function told(count: number, words: (count: number) => string): readonly string[] {
  return count > 0 ? [words(count)] : [];
}

/** Returns `2 people need a fix in HR: 1 has no account yet, 1 still has access`. */
export function accessWords({ access: { keep, lack }, blocked }: Pick<PlanFacts, 'access' | 'blocked'>): string {
  const parts = [
    ...told(lack, (some) => countOf(some, 'has no account yet', 'have no account yet')),
    ...told(keep, (some) => countOf(some, 'still has access', 'still have access')),
  ];
  const where = lacksStatus(blocked) ? 'their status in lifecycle' : 'a fix in HR';
  return `${countOf(keep + lack, 'person needs', 'people need')} ${where}: ${parts.join(', ')}`;
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

export const noKinds: Readonly<Record<ChangeKind, number>> = zeros(changeKinds);

export const noStates: Readonly<Record<ChangeState, number>> = zeros(changeStates);
