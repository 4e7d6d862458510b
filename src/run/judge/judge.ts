import { blockedBySource } from '../../core/guard/blocked.ts';
import {
  type BlockedFacts,
  checkGuards,
  type GuardVerdict,
  isReadDoubted,
  type RestoredStore,
} from '../../core/guard/guard.ts';
import type { FieldName } from '../../core/person/fields.ts';
import type { ChangeClass } from '../../core/plan/change.ts';
import type { Snapshot } from '../../core/plan/snapshot.ts';
import type { Hold } from '../../core/run/run.ts';
import type { PlanCompared } from '../compare/compare-people.ts';
import type { Decided } from '../decide/decide-changes.ts';
import { editFacts } from '../edit.ts';
import type { PlanWork } from '../plan-job.ts';
import type { PlanRead } from '../read/read-people.ts';

/** What a plan holds when the guards look at it. Operators' decisions are applied already. */
export interface PlanCounts {
  /** Number of changes that were dropped because an operator rejected them. */
  readonly rejected: number;
  /** Disables and removes that wait for the end of a freeze, and when it ends (epoch ms). Undefined: no freeze. */
  readonly frozen: { readonly count: number; readonly until: number } | undefined;
  /** Changes that an operator left out when deciding others, or that a column in doubt asks for. They are held already. */
  readonly leftOut: readonly Hold[];
  /** Number of changes in each class that an operator has not approved. */
  readonly open: Readonly<Record<ChangeClass, number>>;
  /** The same, without what an edit of the configuration changes, and with what is made instead of it. */
  readonly beside: Readonly<Record<ChangeClass, number>>;
  /** The same, of earlier plans whose changes count in the guards now. */
  readonly recent: Readonly<Record<ChangeClass, number>>;
  /** The classes that wait by `approvals`, whatever the guards allow. */
  readonly ruled: readonly Omit<Hold, 'sync'>[];
  /** The restore of the store, if it lies within the time that the guards look at. */
  readonly restored: { readonly restored?: RestoredStore };
}

/** The verdict about a plan and its read. */
export type Judged = ReturnType<typeof judge>;

export interface JudgeInput {
  readonly read: PlanRead;
  readonly compared: PlanCompared;
  readonly decided: Pick<Decided, 'differing' | 'strangers' | 'changed'>;
  readonly counts: PlanCounts;
}

/** Judges a plan: what is held, and whether the read is believed. Pure; `record` acts on it. */
export function judge(work: Pick<PlanWork, 'sync' | 'blocked' | 'focus' | 'edit'>, input: JudgeInput) {
  const { sync } = work;
  const { read, compared, counts } = input;
  const { differing, strangers: examples } = input.decided;
  const { snapshot, fillRates, unreadable, vanished, last } = read;
  const { name, guards } = sync.settings;
  const { managed, enabled } = compared;
  const { rows } = snapshot;
  const previous = snapshot.kind === 'full' ? last : undefined;
  const columns = { ...read.columns, fields: [...read.columns.fields, ...changedColumns(work, input)] };
  const facts = { sync: name, managed, enabled, rows, fillRates, unreadable, vanished, columns, previous };
  const { open: classes, recent, restored } = counts;
  const strangers = { examples, parksEmail: sync.settings.parkEmail !== undefined };
  const about = { ...blockedFacts(work, read), ...editFacts(work, { differing, snapshot }, counts.beside), strangers };
  const verdict = checkGuards({ ...facts, classes, recent, ...restored, ...about }, guards);
  const ruled = counts.ruled.filter((one) => !verdict.holds.some((hold) => hold.class === one.class));
  const excess = [...verdict.holds, ...ruled.map((one) => ({ sync: name, ...one }))];
  const left = counts.leftOut.filter((one) => !excess.some((hold) => hold.class === one.class));
  // A read that proves no absence has no misses to hold, and nothing that an operator could approve.
  const areMissesHeld = snapshot.isAcceptable === true || (snapshot.missing !== undefined && verdict.areMissesHeld);
  // A full read that is not stored cannot be accepted either. The run reports the reason and ends as partial.
  const mayAccept = snapshot.kind !== 'full' || isStored(snapshot);
  const { blocked: doubt, ...others } = verdict;
  const held = mayAccept && doubt !== undefined ? { blocked: doubt } : {};
  return {
    /** What is held, with what operators left out. `blocked` is set only if approving the run can accept it. */
    verdict: { ...others, ...held, holds: [...excess, ...left], areMissesHeld },
    /** The changes that the guards stop, by class. */
    excess,
    rejected: counts.rejected,
    ruled: counts.ruled,
    frozen: counts.frozen,
    /** No guard doubts the read: it may end the episodes of the people whom it shows, and become the reference. */
    isAccepted: !isReadDoubted(verdict),
    /** Why too many people are blocked, whether or not approving the run can accept that. */
    doubt,
    /** The read itself needs approval. False for a read that an approval cannot accept. */
    isReadDoubted: mayAccept && isReadDoubted({ ...others, ...held, areMissesHeld }),
  };
}

/** Returns the doubts about columns whose values change; none at a first run, which has nothing to compare. */
function changedColumns({ sync }: Pick<PlanWork, 'sync'>, { read, compared, decided }: JudgeInput) {
  if (read.last === undefined) return [];
  const people = Math.max(read.snapshot.rows, compared.managed);
  const columns = [...sync.mapping.readers];
  const columnOf = (field: FieldName): string => columns.find(([, readers]) => readers.includes(field))?.[0] ?? field;
  return decided.changed.doubts({ people, distinct: read.last.profile?.distinct ?? {}, columnOf });
}

/**
 * Returns whether a full read is stored: it proves absence, or would if an operator confirmed that it may be so short.
 */
export function isStored({ kind, missing, isAcceptable }: Snapshot): boolean {
  return kind === 'full' && (missing !== undefined || isAcceptable === true);
}

/** Returns whether the class `configuration` is held as a whole, or was left out of a decision. */
export function isConfigurationHeld({ holds }: Pick<GuardVerdict, 'holds'>): boolean {
  return holds.some((hold) => hold.class === 'configuration');
}

/** Returns facts about blocked people; none where a few people are decided, because there is nothing to compare. */
function blockedFacts(
  { blocked, focus }: Pick<PlanWork, 'blocked' | 'focus'>,
  { snapshot, last }: PlanRead,
): { readonly blocked?: BlockedFacts } {
  const cause = blocked.likelyCause(snapshot.rows);
  if (focus !== undefined || snapshot.kind === 'point' || cause === undefined) return {};
  const now = blockedBySource(blocked.counts());
  const before = blockedBySource(last?.blocked);
  const rows = { now: blocked.rows(), before: last?.blocked?.rows ?? before };
  return { blocked: { now, before, rows, cause, isFull: snapshot.kind === 'full' } };
}
