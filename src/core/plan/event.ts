import { type FieldName, fieldTraits } from '../person/fields.ts';
import type { ChangeState } from '../run/run.ts';
import { type Change, partOf } from './change.ts';
import { type DecisionRecord, isUndoRule } from './decision.ts';
import type { Rule } from './plan.ts';

/**
 * What a change means for its person. Page, `report`, `status`, mail and notices count these; guards count classes.
 * `firstWrite`: only values that the platform never shows and Rollcall had not written. `upkeep`: nothing happened to the
 * person; an undo, an edit of the configuration or a clean-up made the change. `undone`: an undo took it back later.
 */
export const personEvents = [
  'joiner',
  'returner',
  'mover',
  'leaver',
  'update',
  'leader',
  'firstWrite',
  'upkeep',
  'undone',
] as const;

export type PersonEvent = (typeof personEvents)[number];

/** The rules by which HR, or a person in its place, says that someone left. */
const leaving: readonly string[] = ['leaver-enabled', 'missing-disable', 'missing-decided'] satisfies readonly Rule[];

/** Where someone works, as what, and for whom. */
const workFields: readonly FieldName[] = ['area', 'office', 'job', 'seniority', 'project', 'account'];

/** Returns the event of a change, whatever becomes of it. */
export function eventOf(change: Omit<Change, 'hash' | 'episode' | 'identification' | 'reason'>): PersonEvent {
  const { kind, classes, rule, changed, after } = change;
  const isByOthers = isUndoRule(rule) || classes.includes('configuration') || classes.includes('recreate');
  if (isByOthers || kind === 'remove') return 'upkeep';
  if (partOf(change) === 'leaders') return 'leader';
  if (kind === 'create') return change.returns === true ? 'returner' : 'joiner';
  if (kind === 'enable') return 'returner';
  if (kind === 'disable') return leaving.includes(rule) ? 'leaver' : 'upkeep';
  if (rule === 'leaver-parked') return 'upkeep';
  const known = changed.filter((field) => valueBefore(field, change.before) !== undefined);
  if (known.length === 0) return 'firstWrite';
  const hasMoved = (field: FieldName): boolean =>
    workFields.includes(field) && valueBefore(field, change.before) !== '' && after[field] !== '';
  return known.some(hasMoved) ? 'mover' : 'update';
}

/** Returns the value before the change; undefined: it is not known, because the platform never shows it. */
function valueBefore(field: FieldName, before: Change['before']): string | undefined {
  const isShown = fieldTraits(field).isReadable && before?.unreadable?.includes(field) !== true;
  return isShown ? (before?.fields[field] ?? '') : before?.hidden?.[field];
}

/** How a report counts a change: its event once that has happened, else why it has not. */
export type CountedAs = PersonEvent | ChangeState | 'rejected' | 'withdrawn';

interface Countable {
  readonly state: ChangeState;
  readonly appliedAt?: number;
}

/** `decision`: what an operator decided about the change, or is to decide. `withdrawn`: HR took it back before that. */
export function countedAs(
  event: PersonEvent,
  { state, appliedAt }: Countable,
  decision: Pick<DecisionRecord, 'state' | 'endedAt' | 'run'> | undefined,
): CountedAs {
  if (appliedAt !== undefined || state === 'unverified') return event;
  if (event === 'upkeep') return event;
  // An undo leaves a rejection that names its run.
  if (decision?.state === 'rejected') return decision.run === undefined ? 'rejected' : 'undone';
  return state === 'held' && decision?.endedAt !== undefined ? 'withdrawn' : state;
}
