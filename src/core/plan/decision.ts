import { createHash } from 'node:crypto';
import { type FieldName, type FieldValues, fieldTraits } from '../person/fields.ts';
import { formatMinute } from '../run/formats.ts';
import {
  type ChangeClass,
  type ChangeDraft,
  type ChangeKind,
  type ChangeName,
  type DecidedFields,
  type FieldDigests,
  type Proposal,
  partOf,
} from './change.ts';

export type { DecidedFields, FieldDigests } from './change.ts';

/** One of the approvals that a change needs. */
export interface GivenApproval {
  readonly by: string;
  /** The name of a user that was shown. It is no identity. */
  readonly label?: string;
  /** Epoch ms. */
  readonly at: number;
  readonly why?: string;
}

/** The approvals that a change has, while it needs more. */
export interface GivenApprovals {
  /** The class whose rule needs the most. */
  readonly class: ChangeClass;
  /** How many it needs. */
  readonly of: number;
  readonly given: readonly GivenApproval[];
}

export type DecisionState = 'open' | 'approved' | 'rejected';

/**
 * What a person decided about one change, or that it waits for a decision. An approval counts for exactly the change
 * that was shown. A rejection counts for the person and the rule, and of an update for each field and value, until the
 * episode ends. Unlike an approval it does not depend on the other values of the change.
 */
export interface DecisionRecord extends ChangeName {
  readonly state: DecisionState;
  /** The operator who approved or rejected the change, or left it out while deciding others; else undefined. */
  readonly by: string | undefined;
  readonly why: string | undefined;
  /** When the change was first held, decided, or left out. */
  readonly at: number;
  /** Until when an open change can be approved, or an approval is valid. Undefined for a rejection. */
  readonly expiresAt: number | undefined;
  /** The run that used the approval; of a rejection, the undo that left it. */
  readonly run: string | undefined;
  /** When an accepted read ended the episode; undefined while the rule applies. */
  readonly endedAt: number | undefined;
  readonly fields: DecidedFields;
  /** Approvals that it has while it needs more. Absent: none. */
  readonly given?: GivenApprovals;
}

/** Returns whether only undo runs propose changes by this rule. */
export function isUndoRule(rule: string): boolean {
  return rule.startsWith('undo-');
}

/** Returns the decisions that count for a rule. Undo runs and others neither use nor end each other's decisions. */
function forRule<Known extends DecisionRecord>(rule: string, known: readonly Known[]): readonly Known[] {
  return known.filter((one) => isUndoRule(one.rule) === isUndoRule(rule));
}

/** Returns whether a decision about the change is about each of its fields, not about the whole change. */
function isByField(kind: ChangeKind): boolean {
  return kind === 'update' || partOf({ kind }) === 'leaders';
}

/** A change, as far as earlier decisions about it depend on it. */
type Decidable = Pick<ChangeDraft, 'identification' | 'kind' | 'changed' | 'after'> & Pick<ChangeName, 'rule'>;

/**
 * Returns the digests of the values that a change requests, by field. Stored instead of the values. Equal under every
 * identification, so that they follow a person who gets another one.
 */
export function digestsOf({ kind, changed, after }: Omit<Decidable, 'rule' | 'identification'>): FieldDigests {
  if (kind === 'disable' || kind === 'remove') return {};
  return Object.fromEntries(
    changed.map((field) => {
      const text = JSON.stringify([field, after[field] ?? '']);
      return [field, createHash('sha256').update(text).digest('base64url').slice(0, 22)];
    }),
  );
}

/**
 * Returns what a decision about these classes decides; `undefined`: about all of them. In an update, these are the
 * fields of the classes. A rejected enable also withholds the update that it carries.
 */
export function fieldsDecided(
  change: Decidable & Pick<ChangeDraft, 'classes'>,
  only: readonly ChangeClass[] | undefined,
): DecidedFields {
  const { kind, classes } = change;
  if (!isByField(kind) && kind !== 'enable') return { isWhole: true, digests: {} };
  const digests = digestsOf(change);
  // What an edit changes is decided as it was shown, whole, and so is what comes with another person.
  const isAll = only === undefined || wholeClasses.some((name) => only.includes(name) && classes.includes(name));
  if (kind === 'enable' && (isAll || only.includes('enables'))) return { isWhole: true, digests };
  if (isAll) return { isWhole: false, digests };
  if (partOf({ kind }) === 'leaders') {
    return { isWhole: false, digests: classes.some((name) => only.includes(name)) ? digests : {} };
  }
  const isFirst = (field: FieldName): boolean => classes.includes('firstSight') && !fieldTraits(field).isReadable;
  const isMeant = (field: FieldName): boolean =>
    (field === 'email' && only.includes('emailChanges')) || only.includes(isFirst(field) ? 'firstSight' : 'updates');
  const meant = change.changed.filter(isMeant);
  return { isWhole: false, digests: Object.fromEntries(meant.map((field) => [field, digests[field]])) };
}

const wholeClasses = ['configuration', 'identity'] as const;

/** Returns what an approval of the change lets go: all of it, so a rejected value in a create blocks it too. */
export function fieldsApproved(change: Decidable): DecidedFields {
  return { isWhole: !isByField(change.kind), digests: digestsOf(change) };
}

/** Returns the decision that counts for a change now: about exactly this change, or a rejection that covers all of it. */
export function decisionAbout<Known extends DecisionRecord>(
  change: Decidable & Pick<ChangeName, 'hash'>,
  known: readonly Known[],
): Known | undefined {
  const exact = known.find(({ hash }) => hash === change.hash);
  if (exact?.state === 'rejected') return exact;
  return rejectionOf(change, known) ?? exact;
}

/** Returns the rejection because of which nothing of the change may be sent. */
export function rejectionOf<Known extends DecisionRecord>(
  change: Decidable,
  known: readonly Known[],
): Known | undefined {
  const rejections = forRule(change.rule, known).filter(isRejection);
  const whole = rejections.find(
    ({ rule, fields }) => !isByField(change.kind) && rule === change.rule && fields.isWhole,
  );
  if (whole !== undefined || !isByField(change.kind)) return whole;
  const rejected = rejectedFields(change, rejections);
  return change.changed.length > 0 && change.changed.every((field) => rejected.has(field))
    ? rejected.get(change.changed[0] as FieldName)
    : undefined;
}

function isRejection({ state, endedAt }: DecisionRecord): boolean {
  return state === 'rejected' && endedAt === undefined;
}

function rejectedFields<Known extends DecisionRecord>(
  change: Decidable,
  rejections: readonly Known[],
): ReadonlyMap<FieldName, Known> {
  if (rejections.length === 0) return new Map();
  const asked = digestsOf(change);
  return new Map(
    change.changed.flatMap((field) => {
      const found = rejections.find(({ fields }) => fields.digests[field] === asked[field]);
      return found === undefined ? [] : [[field, found] as const];
    }),
  );
}

/** A change after the standing decisions about its person: what is left of it, and whether it may be sent. */
export interface Settled {
  readonly draft: Proposal;
  /** Absent: the change may be sent, unless a guard holds it. */
  readonly verdict?: { readonly state: 'held' | 'dropped'; readonly reason: string } & Partial<
    Readonly<Record<'isLeftOut' | 'isUndone', true>>
  >;
  /** Rejected fields that were taken out of the change. */
  readonly without?: readonly FieldName[];
  /** What the change requested before fields were taken out, where a decision about a field depends on it. */
  readonly asked?: FieldDigests;
}

/**
 * Returns the reason of a hold whose changes were not part of an earlier approval or rejection. `before`: why they were held
 * first; empty: not known.
 */
export function leftOutOf(before: string): string {
  const reason = 'not part of an earlier approval or rejection: needs its own decision';
  return before === '' ? reason : `${reason} (held before: ${before})`;
}

/** Returns the reason of one such change: who left it out, and when. */
export function leftOutBy({ by, at }: Pick<DecisionRecord, 'by' | 'at'>): string {
  return `not part of an earlier approval or rejection (by ${by ?? 'unknown'} at ${formatMinute(at)}): needs its own decision`;
}

export interface SettleWith {
  readonly known: readonly DecisionRecord[];
  /** Fields that every write must carry, because the platform clears what a write leaves out. */
  readonly carried: readonly FieldName[];
  /** Values of fields that the platform does not show, as the ledger knows them. */
  readonly hidden: FieldValues;
  /** Returns whether what is left of a change can be sent without clearing a value that is not known. */
  isSendable(draft: Proposal): boolean;
}

/**
 * Applies the standing rejections, and holds what was left out of a decision. Takes the rejected fields out of an
 * update, or out of the update inside an enable, and keeps the rest. Holds a create that would carry a rejected field.
 */
export function settleDecisions(proposed: Proposal, { known, carried, hidden, isSendable }: SettleWith): Settled {
  const live = forRule(proposed.rule, known).filter(({ endedAt }) => endedAt === undefined);
  if (live.length === 0) return { draft: proposed };
  const asked = digestsOf(proposed);
  const rejection = rejectionOf(proposed, live);
  if (rejection !== undefined) {
    const undone = rejection.run === undefined ? {} : { isUndone: true as const };
    return { draft: proposed, verdict: { state: 'dropped', reason: skippedBy(rejection), ...undone }, asked };
  }
  const rejected = rejectedFields(proposed, live.filter(isRejection));
  const [first] = rejected.values();
  const without = [...rejected.keys()];
  const draft = first === undefined ? proposed : takenOut(proposed, without, { first, carried, hidden });
  if (first !== undefined && (proposed.kind === 'create' || !isSendable(draft))) {
    const state = proposed.kind === 'create' ? 'held' : 'dropped';
    return { draft: proposed, verdict: { state, reason: `has ${without.join(', ')}: ${rejectedBy(first)}` }, asked };
  }
  const left = live.find((record) => isLeftOutOf(record, draft));
  const settled = { draft, without, asked };
  if (left === undefined) return settled;
  return { ...settled, verdict: { state: 'held', reason: leftOutBy(left), isLeftOut: true } };
}

/** Returns the change without the rejected fields. A write that has to carry one sends the value that is known. */
function takenOut(
  proposed: Proposal,
  without: readonly FieldName[],
  { first, carried, hidden }: Pick<SettleWith, 'carried' | 'hidden'> & { readonly first: DecisionRecord },
): Proposal {
  const after = { ...proposed.after };
  for (const field of without) {
    const isUnseen = !fieldTraits(field).isReadable || proposed.before?.unreadable?.includes(field) === true;
    const known = carried.includes(field) && isUnseen ? hidden[field] : undefined;
    if (known === undefined) delete after[field];
    else after[field] = known;
  }
  const changed = proposed.changed.filter((field) => !without.includes(field));
  const hasFirst = changed.some((field) => !fieldTraits(field).isReadable);
  const classes = proposed.classes.filter((name) => {
    if (name === 'emailChanges') return changed.includes('email');
    return name === 'firstSight' ? hasFirst : true;
  });
  const reason = `${proposed.reason}; without ${without.join(', ')}, ${rejectedBy(first)}`;
  const { waitsFor, ...rest } = proposed;
  const reduced = { ...rest, after, changed, classes, reason };
  return waitsFor === undefined || !changed.includes('email') ? reduced : { ...reduced, waitsFor };
}

function isLeftOutOf({ state, by, rule, fields }: DecisionRecord, draft: Decidable): boolean {
  if (state !== 'open' || by === undefined) return false;
  if (!isByField(draft.kind)) return rule === draft.rule;
  const asked = digestsOf(draft);
  return draft.changed.some((field) => fields.digests[field] === asked[field]);
}

type Rejection = Pick<DecisionRecord, 'by' | 'at' | 'why' | 'run'>;

function rejectedBy(rejection: Rejection): string {
  return `${rejection.run === undefined ? 'rejected' : 'undone'} by ${whoWhen(rejection)}`;
}

/** Says that a run leaves a change out, by whose decision, when, and why: `skipped: you undid it (ana at TIME: TEXT)`. */
export function skippedBy(rejection: Rejection): string {
  return `skipped: you ${rejection.run === undefined ? 'rejected' : 'undid'} it (${whoWhen(rejection)})`;
}

function whoWhen({ by, at, why }: Rejection): string {
  return `${by ?? 'unknown'} at ${formatMinute(at)}${why === undefined ? '' : `: ${why}`}`;
}

/**
 * Returns the standing rejections of the change, or of fields that it requests. An approval that was meant for the
 * change before they were rejected does not count; an operator who reopens the change lifts them.
 */
export function rejectionsAgainst<Known extends DecisionRecord>(
  { rule, fields: { isWhole, digests } }: { readonly rule: string; readonly fields: DecidedFields },
  known: readonly Known[],
): readonly Known[] {
  const fields = Object.entries(digests) as [FieldName, string][];
  return forRule(rule, known).filter(
    (one) =>
      isRejection(one) &&
      ((isWhole && one.fields.isWhole && one.rule === rule) ||
        fields.some(([field, digest]) => one.fields.digests[field] === digest)),
  );
}

/**
 * Returns what stays of a rejection after an accepted read decided about its person; `undefined`: its episode ended.
 * `proposed`: the rules that still apply to the person. `asked`: the values that are still requested.
 */
export function whatStays(
  { rule, fields }: Pick<DecisionRecord, 'rule' | 'fields'>,
  proposed: readonly { readonly rule: string; readonly asked: FieldDigests | undefined }[],
): DecidedFields | undefined {
  const isWhole = fields.isWhole && proposed.some((one) => one.rule === rule);
  const entries = Object.entries(fields.digests) as [FieldName, string][];
  // Without a record of what was requested, the decision was made after the plan: a later run ends it.
  const kept = entries.filter(([field, digest]) =>
    proposed.some(({ asked }) => asked === undefined || asked[field] === digest),
  );
  return kept.length === 0 && !isWhole ? undefined : { isWhole, digests: Object.fromEntries(kept) };
}
