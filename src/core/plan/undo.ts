import { createHash } from 'node:crypto';
import { type FieldName, fieldTraits, type User } from '../person/fields.ts';
import type { Change, ChangeClass, NotAgain } from './change.ts';
import { type DecisionRecord, digestsOf, fieldsDecided } from './decision.ts';
import { disable, enable, isAlteration, isSameValue, update, withKnown } from './diff.ts';
import {
  type Case,
  type CurrentCase,
  currentOf,
  type Decision,
  finding,
  type PlanRules,
  permit,
  type Rule,
} from './plan.ts';

/** What an operator asks to undo. It is part of the scope of the run that undoes it. */
export interface UndoOrder {
  /** The run whose changes are undone. */
  readonly run: string;
  readonly by: string;
  readonly why?: string;
  /** Only changes of these classes; of an update, only their fields. Absent: all. */
  readonly only?: readonly ChangeClass[];
}

/** One applied change that is undone, and what the plan knows about its person. */
export interface Undoing {
  readonly order: UndoOrder;
  readonly done: Change;
  /** The read of the source is complete, so a person without a record is missing. */
  readonly isComplete: boolean;
  /** Who has the e-mail now that the change took from the account. */
  readonly emailTakenBy: string | undefined;
  /** The platform keeps a field whose cell is empty, so no field can be cleared. */
  readonly keepsEmpty: boolean;
}

/** The row of the table of `undo` that applied. */
export type UndoRule = 'undo-create' | 'undo-update' | 'undo-disable' | 'not-undone';

/**
 * Decides the inverse of one applied change by what source, platform and ledger show now. The account must still be
 * ours and the same account. A value that changed since is left as it is.
 *
 *  applied        | the source says now        | inverse                              | rule
 * ----------------+----------------------------+--------------------------------------+-------------
 *  remove         | anything                   | none                                 | not-undone
 *  anything       | unusable                   | none                                 | not-undone
 *  create, enable | leaver, out of scope       | disable                              | undo-create
 *  create, enable | anything else              | none: correct scope or HR first      | not-undone
 *  disable        | active, missing            | enable                               | undo-disable
 *  disable        | leaver, out of scope       | enable, always held                  | undo-disable
 *  disable        | no conclusion              | none                                 | not-undone
 *  update         | anything else              | update of the fields that still show | undo-update
 *                 |                            | what was written                     |
 */
export function undo(bare: Case, undoing: Undoing, rules: PlanRules, now: number): Decision<UndoRule> {
  const subject = currentOf(bare, rules, now);
  const { source, user, ours, ledger } = subject;
  const { done } = undoing;
  if (done.kind === 'remove') return left(subject, 'a removal cannot be undone: create the user again');
  if (source.says === 'unusable') return left(subject, source.reason);
  if (ours === undefined) {
    const owner = ledger !== undefined && ledger.owner !== rules.name ? ledger.owner : undefined;
    return left(subject, owner === undefined ? 'the sync no longer manages the user' : `belongs to sync ${owner} now`);
  }
  if (user === undefined) return left(subject, 'the platform no longer has the user');
  if (done.before !== undefined && done.before.userId !== user.id) {
    return left(subject, 'the account was deleted and created again in the meantime');
  }
  const decided = inverse({ ...subject, ours, user }, undoing);
  const permitted = permit(decided, subject);
  if (permitted.forbidden === undefined) return permitted;
  const why = permitted.finding?.message ?? `policy ${rules.policy} does not allow a ${permitted.forbidden}`;
  return left(subject, why);
}

type OwnCase = CurrentCase & { readonly user: User; readonly ours: NonNullable<CurrentCase['ours']> };

function inverse(subject: OwnCase, undoing: Undoing): Decision<UndoRule> {
  switch (undoing.done.kind) {
    case 'update':
      return putBack(subject, undoing);
    case 'disable':
      return giveBack(subject, undoing);
    default:
      return takeBack(subject, undoing);
  }
}

/** Undoes a create or an enable, only where the source or the scope says that the account must not be enabled. */
function takeBack(subject: OwnCase, { order, done }: Undoing): Decision<UndoRule> {
  const { user, identification, source, neighbors } = subject;
  if (!user.enabled) return already(subject, 'the account is already disabled');
  if (source.says !== 'leaver' && source.says !== 'out-of-scope') {
    const shown =
      source.says === 'active' ? 'HR says that this person works here' : 'HR does not say that the person left';
    return left(subject, `${shown}: correct scope or HR first`);
  }
  if (neighbors?.claim !== undefined) return left(subject, `the person is active in sync ${neighbors.claim.by}`);
  const why = source.says === 'leaver' ? `left: ${source.person.standingReason}` : 'outside the scope';
  const change = disable(user, identification, `${undoes(order)}; ${why}`);
  if (done.kind === 'create' || done.changed.length === 0) return { rule: 'undo-create', change };
  const kept = `partly undone: ${done.changed.join(', ')} not restored, because the account is disabled`;
  return { rule: 'undo-create', change, finding: finding(subject, 'not-undone', kept) };
}

/** What would disable the account again after an undo, by what the source says. */
const disabledBy = {
  leaver: 'leaver-enabled',
  'out-of-scope': 'out-of-scope',
  missing: 'missing-disable',
} as const satisfies Record<string, Rule>;

/** Undoes a disable. An account of a person who left, or who is out of scope, is enabled only after approval. */
function giveBack(subject: OwnCase, { order, isComplete }: Undoing): Decision<UndoRule> {
  const { user, identification, source, ours } = subject;
  if (user.enabled) return already(subject, 'the account is already enabled');
  if (ours.disabledAt === undefined) return left(subject, 'the account was disabled outside Rollcall since');
  const isAbsent = source.says === 'nothing' && source.isSeen !== true;
  const says = isAbsent && isComplete ? 'missing' : source.says;
  if (says === 'nothing' || says === 'unusable' || says === 'unconfirmed') {
    return left(subject, 'reason' in source ? source.reason : 'the source says nothing about the person');
  }
  if (source.says === 'active' && source.person.refusesEnable !== undefined) {
    return left(subject, source.person.refusesEnable);
  }
  const written = withKnown({}, user, ours, subject.rules.carried ?? []);
  const difference = { changed: [], firstSight: [], assumed: {}, written };
  const held =
    source.says === 'leaver'
      ? `HR still reports a leaver (${source.person.standingReason}): enabling the account needs approval`
      : source.says === 'out-of-scope'
        ? 'the person is still out of scope: enabling the account needs approval'
        : undefined;
  const why = held ?? (says === 'missing' ? 'the source has no record of the person' : 'active');
  const change = enable(user, identification, difference, `${undoes(order)}; ${why}`);
  const rule = says === 'active' ? undefined : disabledBy[says];
  const again = rule === undefined ? {} : { notAgain: notAgain(order, rule, { isWhole: true, digests: {} }) };
  return { rule: 'undo-disable', change: { ...change, ...again }, ...(held === undefined ? {} : { held }) };
}

/** Undoes an update field by field. */
function putBack(subject: OwnCase, { order, done, emailTakenBy, keepsEmpty }: Undoing): Decision<UndoRule> {
  const { user, identification, ours } = subject;
  if (!user.enabled) return left(subject, 'the account was disabled since');
  const wanted = Object.keys(fieldsDecided(done, order.only).digests) as FieldName[];
  const back: Partial<Record<FieldName, string>> = {};
  const reasons = new Map<string, FieldName[]>();
  const leave = (field: FieldName, reason: string): void => {
    reasons.set(reason, [...(reasons.get(reason) ?? []), field]);
  };
  for (const field of wanted) {
    const { before, now, isWritten } = valuesOf(field, done, user, ours);
    if (now !== undefined && before !== undefined && isSameValue(field, now, before)) continue;
    if (before === undefined) leave(field, 'its value before the change is not known');
    else if (!isWritten) leave(field, 'it changed since');
    else if (before === '' && isRequired(field)) leave(field, 'it was empty, and the platform requires it');
    else if (before === '' && keepsEmpty) leave(field, 'it was empty, and the platform cannot clear a field');
    else if (field === 'email' && emailTakenBy !== undefined) {
      leave(field, `the former address belongs to ${emailTakenBy} now`);
    } else back[field] = before;
  }
  const changed = wanted.filter((field) => back[field] !== undefined);
  const kept = [...reasons].map(([reason, fields]) => `${fields.join(', ')} left: ${reason}`).join('; ');
  if (changed.length === 0) {
    return reasons.size === 0
      ? already(subject, 'the platform shows the values before the change')
      : left(subject, kept);
  }
  const written = withKnown(back, user, ours, subject.rules.carried ?? []);
  const known = Object.fromEntries(changed.map((field) => [field, ours.hidden[field]]));
  const draft = update(user, identification, { changed, firstSight: [], assumed: {}, written, known });
  const reason = `${undoes(order)}: puts back ${changed.join(', ')}${kept === '' ? '' : `; ${kept}`}`;
  const digests = digestsOf({ ...done, kind: 'update', changed });
  const change = { ...draft, reason, notAgain: notAgain(order, done.rule, { isWhole: false, digests }) };
  const told = kept === '' ? {} : { finding: finding(subject, 'not-undone', `partly undone: ${kept}`) };
  return { rule: 'undo-update', change, ...told };
}

const isRequired = (field: FieldName): boolean => ['firstName', 'lastName', 'email'].includes(field);

interface FieldState {
  /** Undefined: not known. */
  readonly before: string | undefined;
  readonly now: string | undefined;
  /** The account still has what the change wrote. */
  readonly isWritten: boolean;
}

/** Compares what the platform shows, or what the ledger knows where the platform does not show it. */
function valuesOf(field: FieldName, done: Change, user: User, { hidden, quirks }: OwnCase['ours']): FieldState {
  const sent = done.after[field] ?? '';
  if (fieldTraits(field).isReadable && !user.unreadable.includes(field)) {
    const now = user.fields[field] ?? '';
    const quirk = quirks[field];
    const isKept = quirk !== undefined && quirk.sent === sent && quirk.observed === now;
    const isWritten = isSameValue(field, now, sent) || isKept || isAlteration(field, sent, now);
    return { before: done.before?.fields[field] ?? '', now, isWritten };
  }
  const now = hidden[field];
  return { before: done.before?.hidden?.[field], now, isWritten: now === sent };
}

function undoes({ run }: UndoOrder): string {
  return `undoes run ${run}`;
}

/** Says that the person is left as they are. */
function left(subject: CurrentCase, reason: string): Decision<UndoRule> {
  return { rule: 'not-undone', finding: finding(subject, 'not-undone', `not undone: ${reason}`) };
}

/** Says that there is nothing left to undo. */
function already(subject: CurrentCase, reason: string): Decision<UndoRule> {
  return { rule: 'not-undone', finding: finding(subject, 'already-undone', `nothing to undo: ${reason}`) };
}

function notAgain({ run, by, why }: UndoOrder, rule: string, fields: NotAgain['fields']): NotAgain {
  return { rule, fields, by, why: `undid run ${run}${why === undefined ? '' : `: ${why}`}` };
}

/** A rejection without its episode and the run of the undo: the store knows both. */
export type UndoneRecord = Omit<DecisionRecord, 'episode' | 'run'>;

/**
 * Returns the record of what an applied change of an undo keeps later runs from doing again.
 * `ignored`: fields that the platform did not take.
 */
export function rejectionBy(
  { identification, hash, notAgain: undone }: Change,
  ignored: readonly FieldName[],
  at: number,
): UndoneRecord | undefined {
  if (undone === undefined) return undefined;
  const { rule, by, why, fields } = undone;
  const taken = Object.entries(fields.digests).filter(([field]) => !ignored.includes(field as FieldName));
  if (!fields.isWhole && taken.length === 0) return undefined;
  const kept = { ...fields, digests: Object.fromEntries(taken) };
  const record = { identification, rule, hash: undoneHash(hash), state: 'rejected', by, why, at } as const;
  return { ...record, expiresAt: undefined, endedAt: undefined, fields: kept };
}

/** Returns the hash of the record that an applied change of an undo leaves. No plan has a change with this hash. */
export function undoneHash(hash: string): string {
  return createHash('sha256').update(`undone ${hash}`).digest('hex');
}
