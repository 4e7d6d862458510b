import type { FieldName, FieldValues, User } from '../person/fields.ts';
import type { Person } from '../person/person.ts';
import type { Finding, FindingCode } from '../run/finding.ts';
import { shellWord } from '../run/formats.ts';
import { given } from '../run/given.ts';
import type { Policy, SyncSettings } from '../run/settings.ts';
import type { ChangeDraft, ChangeKind } from './change.ts';
import type { Marked } from './configuration.ts';
import {
  create,
  type DiffRules,
  diffFields,
  disable,
  enable,
  type KeptFields,
  remove,
  update,
  withKnown,
} from './diff.ts';
import { type Parking, park } from './email-order.ts';
import { type LedgerEntry, maxSends } from './ledger.ts';
import {
  adopted,
  countMiss,
  entryOf,
  goneFromPlatform,
  isRemovalDue,
  type MissingWait,
  markGone,
  missingWait,
  seenInSource,
  takenOver,
  withAccount,
  withoutMisses,
} from './ledger-steps.ts';
import { isClaimOver, type Neighbors } from './neighbors.ts';
import type { AbsenceProof, LeaverProof } from './snapshot.ts';
import type { AccountDecision, IdentityDecision } from './standing.ts';
import { ofIdentity, type Stranger } from './stranger.ts';

/**
 * What the source shows about one identification. *Leaver* and *missing* require a proof;
 * `core/snapshot.ts` creates the proofs.
 */
export type SourceSays =
  | { readonly says: 'active'; readonly person: Person }
  | { readonly says: 'leaver'; readonly person: Person; readonly proof: LeaverProof }
  | { readonly says: 'out-of-scope'; readonly person: Person; readonly proof: LeaverProof }
  | { readonly says: 'missing'; readonly proof: AbsenceProof }
  /** Missing from a full read, and no lookup by id has confirmed it. `reason` continues "the person is". */
  | { readonly says: 'unconfirmed'; readonly reason: string }
  /** The person is present, but no change is allowed: rejected, duplicate, ambiguous, unknown status, unresolved. */
  | { readonly says: 'unusable'; readonly code: FindingCode; readonly reason: string; readonly at?: string }
  /** No conclusion: hired for later, or absent or gone in a read without proof. `isSeen`: a record names the person. */
  | { readonly says: 'nothing'; readonly reason: string; readonly isSeen?: boolean };

/** One identification as the source, the platform and the ledger show it. */
export interface Case {
  readonly identification: string;
  readonly source: SourceSays;
  /** What the source says by the earlier configuration, where that is something else. */
  readonly earlier?: SourceSays;
  readonly user: User | undefined;
  readonly ledger: LedgerEntry | undefined;
  /** What other syncs of the connection show about the person. Absent: nothing that a hand-over may rely on. */
  readonly neighbors?: Neighbors;
  /** The parking address of the account, whose e-mail an active employee is to get. Counts only for a leaver. */
  readonly parking?: Parking;
  /** The record is about another person than the account: see `core/person/same-person.ts`. */
  readonly stranger?: Stranger;
  /** A person decided that one of the two replaces the other, who has no account yet: both changes need approval. */
  readonly replacement?: { readonly identification: string; readonly other: string; readonly by: string };
  /** A person decided that the account is disabled, although no sync owns it. Counts only while that is so. */
  readonly toDisable?: AccountDecision;
  /** An accepted read saw this account enabled. Counts only while it is not ours: then the ledger tells. */
  readonly wasEnabled?: boolean;
}

export type PlanRules = Pick<
  SyncSettings,
  'name' | 'policy' | 'missing' | 'outOfScope' | 'foreignDisable' | 'protected' | 'remove'
> &
  DiffRules & {
    /** Mapped fields that every write must carry because the platform clears what a write leaves out. */
    readonly carried?: readonly FieldName[];
  };

/** The row of the truth table that applied. */
export type Rule =
  | 'owned-by-other'
  | 'hand-over-expected'
  | 'unusable'
  | 'nothing'
  | 'out-of-scope'
  | 'leaver-enabled'
  | 'leaver-remove'
  | 'leaver-parked'
  | 'leaver-settled'
  | 'active-blacklisted'
  | 'create-refused'
  | 'active-create'
  | 'active-update'
  | 'active-equal'
  | 'enable-refused'
  | 'active-enable'
  | 'active-foreign-disable'
  | 'another-person'
  | 'missing-counted'
  | 'missing-disable'
  | 'missing-remove'
  | 'missing-settled'
  | 'missing-unconfirmed'
  | 'missing-decided'
  | 'missing-unmanaged';

export interface Decision<Name extends string = Rule> {
  readonly rule: Name;
  readonly change?: ChangeDraft;
  readonly finding?: Finding;
  /** The ledger entry to write at the end of the run, if it differs from the stored one. */
  readonly ledger?: LedgerEntry;
  /** When a missing person is disabled whose absence is still counted. Absent: never. */
  readonly wait?: MissingWait;
  /** The change that the rule requested and that the policy or protection forbade. */
  readonly forbidden?: ChangeKind;
  /** Why the change needs approval, however few such changes there are. */
  readonly held?: string;
  /** Fields whose value on the platform stays, although the source has another one. */
  readonly kept?: KeptFields;
  /** The sync that owned the user until now. The change and the ledger entry apply once the user is ours. */
  readonly takenFrom?: string;
  /** What of it is of the class `configuration`. Absent: nothing. */
  readonly marked?: Marked;
  /** The disable or remove that is left out because another sync is expected to take the user over. */
  readonly expected?: ChangeDraft;
}

/**
 * Decides one case by the planner's truth table: the first matching row from the top applies.
 *
 *  source says         | platform has              | ledger             | change                      | rule
 *  --------------------+---------------------------+--------------------+-----------------------------+----------------
 *  active              | anything                  | another sync's,    | becomes ours, then as below | (the row below)
 *                      |                           | which releases it  |                             |
 *  anything else       | anything                  | another sync's     | none; conflict              | owned-by-other
 *  missing, out of     | anything                  | ours, and another  | none instead of disable and | hand-over-expected
 *  scope               |                           | sync claims it, or | remove; reported            |
 *                      |                           | cannot decide      |                             |
 *  unusable            | anything                  | any                | none; reported              | unusable
 *  nothing (no proof)  | anything                  | any                | none                        | nothing
 *  out of scope        | enabled                   | ours               | outOfScope: ignore, disable | out-of-scope
 *  leaver              | enabled                   | any                | disable                     | leaver-enabled
 *  leaver              | disabled by us long ago   | ours               | remove, if configured       | leaver-remove
 *  leaver, e-mail      | disabled                  | ours               | update of the e-mail to     | leaver-parked
 *  claimed             |                           |                    | parkEmail, if configured    |
 *  leaver              | nothing, disabled         | any                | none                        | leaver-settled
 *  active              | nothing                   | removed, blacklist | none; conflict              | active-blacklisted
 *  active, no create   | nothing                   | any                | none; reported              | create-refused
 *  active              | nothing                   | any                | create                      | active-create
 *  active              | enabled, differs          | any                | update                      | active-update
 *  active              | enabled, equal            | any                | none, becomes ours          | active-equal
 *  active, about       | an account of another     | any                | disable, park the e-mail    | another-person
 *  another person      | person, as was decided    |                    |                             |
 *  active, no enable   | disabled; first, or by us | none, ours         | none; reported              | enable-refused
 *  active              | disabled; first, or by us | none, ours         | enable with its update      | active-enable
 *  active              | disabled by others        | ours, seen enabled | none; conflict (or enable)  | active-foreign-disable
 *  missing, no lookup  | enabled, or due to be     | ours               | none; not counted; reported | missing-unconfirmed
 *  has confirmed it    | removed                   |                    |                             |
 *  missing             | enabled                   | ours               | counted; disable when due   | missing-counted, -disable
 *  missing, replaced   | enabled                   | ours               | disable, held               | missing-disable
 *  missing             | disabled by us long ago   | ours               | remove, if configured       | missing-remove
 *  missing             | nothing, disabled         | ours               | none                        | missing-settled
 *  missing             | enabled, and a person     | none               | disable                     | missing-decided
 *                      | decided its disable       |                    |                             |
 *  missing             | anything                  | not ours           | none; unmanaged             | missing-unmanaged
 *
 * `release` and `claim` are defined in core/neighbors.ts.
 * An entry about another account than the one shown counts as absent, even if another sync owns it.
 * An update or enable by a record that is about another person than the account is of the class `identity`.
 * Afterwards `policy` and `protected` can remove changes, but never add one.
 */
export function decide(subject: Case, rules: PlanRules, now: number): Decision {
  const current = currentOf(subject, rules, now);
  return tellIdle(
    holdReplacement(expectHandOver(permit(learnAccount(rule(current), current), current), current), current),
    current,
  );
}

/** Holds the disable of an account that a new person replaces, and the account of that person. */
function holdReplacement<Made extends Decision>(decision: Made, { replacement }: CurrentCase): Made {
  const kind = decision.change?.kind;
  if (replacement === undefined || (kind !== 'create' && kind !== 'disable')) return decision;
  const held = `${replacement.by} decided that ${replacement.identification} gets an account and that of ${replacement.other} is disabled`;
  return { ...decision, held };
}

/** Reports a decision to disable an account that has no effect, while no sync owns the account. */
function tellIdle<Made extends Decision>(decision: Made, subject: CurrentCase): Made {
  const { toDisable, identification, rules } = subject;
  const why = whyIdle(subject);
  if (toDisable === undefined || why === undefined || decision.finding !== undefined) return decision;
  const text = `${toDisable.by} decided to disable the account. The decision has no effect: ${why}. To withdraw it, run "rollcall adopt ${shellWord(rules.name)} ${shellWord(identification)} --leave --reason TEXT"`;
  return { ...decision, finding: finding(subject, 'decision-without-effect', text) };
}

/** Returns why a decision to disable an enabled account has no effect; undefined when it has, or nothing is left to do. */
function whyIdle({ toDisable, user, ledger, source, neighbors }: CurrentCase): string | undefined {
  const isOwned = ledger !== undefined && ledger.removed === undefined;
  if (toDisable === undefined || user?.enabled !== true || isOwned) return undefined;
  if (user.id !== toDisable.accountId) return 'the account was deleted and created again in the meantime';
  if (neighbors?.claim !== undefined) return `the person is active in sync ${neighbors.claim.by}`;
  const isSeen = source.says === 'nothing' && source.isSeen === true;
  return isSeen || source.says === 'active' || source.says === 'out-of-scope' ? 'HR has the person now' : undefined;
}

export function currentOf(subject: Case, rules: PlanRules, now: number): CurrentCase {
  const ledger = entryOf(subject.user?.id, subject.ledger);
  const isOurs = ledger !== undefined && ledger.owner === rules.name && ledger.removed === undefined;
  return { ...subject, ledger, ours: isOurs ? ledger : undefined, rules, now };
}

/** A case with all that its decision depends on. */
export interface CurrentCase extends Case {
  /** The ledger entry, if it is about the account shown, belongs to this sync, and is not removed. */
  readonly ours: LedgerEntry | undefined;
  readonly rules: PlanRules;
  readonly now: number;
}

/** Leaves out a disable or remove of a person whom another sync is expected to take over, and says since when. */
function expectHandOver(decision: Decision, subject: CurrentCase): Decision {
  const claim = subject.neighbors?.claim;
  const { change, rule, ...rest } = decision;
  const isGone = rule === 'missing-disable' || rule === 'missing-remove' || rule === 'out-of-scope';
  if (claim === undefined || change === undefined || !isGone || subject.ledger === undefined) return decision;
  const since = subject.ledger.handOverSince;
  if (isClaimOver(claim, since)) {
    const reason = `${change.reason}; the person is active in sync ${claim.by}, which did not take over the user`;
    return { ...decision, change: { ...change, reason } };
  }
  const why =
    claim.undecided === 'now'
      ? 'has the person and cannot decide about them yet: resolve what its last run reports about them'
      : 'has the person as active, and is expected to take over the user';
  const text = `no ${change.kind}: sync ${claim.by} ${why}. "rollcall adopt ${claim.by} ${subject.identification}" moves the user now`;
  return {
    ...rest,
    rule: 'hand-over-expected',
    expected: { ...change, classes: ['handOvers'] },
    finding: finding(subject, 'hand-over-expected', text),
    ledger: { ...(decision.ledger ?? subject.ledger), handOverSince: since ?? subject.now },
  };
}

/** Stores the id of an account that is ours: a new entry lacks it, and so does what is kept of a forgotten person. */
function learnAccount(decision: Decision, { source, user, ledger, rules }: CurrentCase): Decision {
  // In other cases the account can belong to another person, or the sync may no longer want it.
  if (user === undefined || !['active', 'leaver', 'missing'].includes(source.says)) return decision;
  const entry = decision.ledger ?? (ledger?.owner === rules.name ? ledger : undefined);
  if (entry === undefined || entry.accountId !== undefined || entry.removed !== undefined) return decision;
  return { ...decision, ledger: withAccount(entry, user.id) };
}

function rule(subject: CurrentCase): Decision {
  const { source, user, ledger, ours, rules, identification } = subject;
  if (ledger !== undefined && ledger.owner !== rules.name && ledger.removed === undefined) {
    if (source.says === 'active' && subject.neighbors?.release?.from === ledger.owner) {
      const taken = currentOf({ ...subject, ledger: takenOver(ledger, rules.name, subject.now) }, rules, subject.now);
      return { ...rule(taken), takenFrom: ledger.owner };
    }
    if (['missing', 'unconfirmed', 'nothing'].includes(source.says)) return { rule: 'owned-by-other' };
    const why = source.says === 'unusable' ? `. ${source.reason}` : '';
    const text = `belongs to sync ${ledger.owner}, so ${rules.name} does not change it${why}. To move the user, run "rollcall adopt ${rules.name} ${identification}"`;
    return { rule: 'owned-by-other', finding: finding(subject, 'owned-by-other-sync', text) };
  }
  switch (source.says) {
    case 'unusable':
      return {
        rule: 'unusable',
        finding: finding(subject, source.code, source.reason, source.at),
        ...reset(ours),
      };
    case 'nothing':
      return source.isSeen === true ? { rule: 'nothing', ...reset(ours) } : { rule: 'nothing' };
    case 'out-of-scope':
      if (user?.enabled === true && ours !== undefined && rules.outOfScope === 'disable') {
        const named = withoutMisses(ours);
        const change = disable(user, identification, 'outside the scope');
        return { rule: 'out-of-scope', change, ...(named === ours ? {} : { ledger: named }) };
      }
      return { rule: 'out-of-scope', ...reset(ours) };
    case 'leaver':
      return leaver(subject, source.person);
    case 'missing':
      return missing(subject, source.proof);
    case 'unconfirmed':
      return { rule: 'missing-unconfirmed' };
    case 'active':
      return active(subject, source.person);
  }
}

/** The read names the person, so absences that were counted before are void, whatever becomes of the change. */
function leaver(subject: CurrentCase, person: Person): Decision {
  const { user, ours, identification } = subject;
  const named = ours === undefined ? undefined : withoutMisses(ours);
  const kept = named === undefined || named === ours ? {} : { ledger: named };
  const claim = subject.neighbors?.claim;
  if (user?.enabled === true && ours === undefined && claim !== undefined) {
    const text = `left, but the person is active in sync ${claim.by}, and no configured sync owns the account. "rollcall adopt ${claim.by} ${identification}" moves it`;
    return { rule: 'owned-by-other', finding: finding(subject, 'owned-by-other-sync', text), ...kept };
  }
  if (user?.enabled === true) {
    const change = disable(user, identification, `left: ${person.standingReason}`);
    return { rule: 'leaver-enabled', change, ...kept };
  }
  const current = { ...subject, ours: named };
  const decision = { ...kept, ...gone(current, { settled: 'leaver-settled', removing: 'leaver-remove' }) };
  return decision.change === undefined ? withParking(decision, current) : decision;
}

/** Gives a disabled account of ours its parking address, if an active employee is to get the account's e-mail. */
function withParking(settled: Decision, { user, ours, parking, rules }: CurrentCase): Decision {
  const isKnown = parking !== undefined && user !== undefined && ours !== undefined;
  const change = isKnown ? park(parking, user, ours, rules.carried) : undefined;
  return change === undefined ? settled : { ...settled, rule: 'leaver-parked', change };
}

function missing(subject: CurrentCase, proof: AbsenceProof): Decision {
  const { user, ours, identification, rules, now } = subject;
  if (ours === undefined) return unowned(subject);
  if (user?.enabled !== true) {
    const decision = gone(subject, { settled: 'missing-settled', removing: 'missing-remove' });
    return decision.change === undefined ? withParking(decision, subject) : decision;
  }
  const counted = countMiss(ours, proof, now);
  const kept = counted === ours ? {} : { ledger: counted };
  const misses = counted.misses;
  if (subject.replacement !== undefined) {
    const change = disable(user, identification, `missing, and replaced by ${subject.replacement.identification}`);
    return { rule: 'missing-disable', change, ...kept };
  }
  if (rules.missing === 'never' || misses === undefined) return { rule: 'missing-counted', ...kept };
  const isDue = misses.count >= rules.missing.afterReads && now - misses.since >= rules.missing.minAgeMs;
  if (!isDue) return { rule: 'missing-counted', ...kept, ...missingWait(misses, identification, rules) };
  const reason = `missing in ${misses.count} complete reads since ${new Date(misses.since).toISOString()}`;
  return { rule: 'missing-disable', change: disable(user, identification, reason), ...kept };
}

/** No sync owns the account, so only the decision of a person disables it. */
function unowned(subject: CurrentCase): Decision {
  const { user, identification, toDisable, replacement, neighbors } = subject;
  const isReplaced = replacement?.other === identification && neighbors?.claim === undefined;
  const isDecided = toDisable !== undefined && whyIdle(subject) === undefined;
  if (user?.enabled !== true || !(isReplaced || isDecided)) return { rule: 'missing-unmanaged' };
  const why = toDisable?.why === undefined ? '' : `: ${toDisable.why}`;
  const decided = isReplaced
    ? `replaced by ${replacement.identification}`
    : `${toDisable?.by} decided to disable the account${why}`;
  return { rule: 'missing-decided', change: disable(user, identification, `missing, and ${decided}`) };
}

/** Handles a person who is gone from the source and not enabled on the platform: no change until the removal is due. */
function gone(
  { user, ours, identification, rules, now }: CurrentCase,
  { settled, removing }: { readonly settled: Rule; readonly removing: Rule },
): Decision {
  if (ours === undefined) return { rule: settled };
  if (user === undefined) return { rule: settled, ledger: goneFromPlatform(ours, now) };
  if (ours.disabledAt === undefined) return { rule: settled };
  const marked = markGone(ours, now);
  const kept = marked === ours ? {} : { ledger: marked };
  const goneSince = Math.max(ours.disabledAt, marked.goneSince ?? now);
  if (!isRemovalDue(marked, rules, now)) return { rule: settled, ...kept };
  const change = remove(user, identification, `disabled and gone since ${new Date(goneSince).toISOString()}`);
  return { rule: removing, change, ...kept };
}

function active(subject: CurrentCase, person: Person): Decision {
  const { stranger } = subject;
  if (stranger?.parted !== undefined) return parted(subject, stranger.parted);
  const decision = keepEqual(subject, person);
  return stranger === undefined ? decision : ofIdentity(decision, stranger);
}

/** Disables an account whose record is about another person, and parks its e-mail. It is never enabled for that person. */
function parted(subject: CurrentCase, { by }: Pick<IdentityDecision, 'by'>): Decision {
  const { user, ours, identification, rules } = subject;
  const text = `${by} decided that HR's record is about another person than the account, which stays disabled. Give that person another identification in HR. To withdraw the decision, run "rollcall adopt ${shellWord(rules.name)} ${shellWord(identification)} --same"`;
  const taken = { rule: 'another-person', ...reset(ours) } as const;
  if (user?.enabled === true) {
    return {
      ...taken,
      change: disable(user, identification, `${by} decided that HR's record is about another person`),
    };
  }
  const parked = withParking(taken, subject);
  return parked.change === undefined ? { ...parked, finding: finding(subject, 'another-person', text) } : parked;
}

function keepEqual(subject: CurrentCase, person: Person): Decision {
  const { user, ledger, ours, identification, rules } = subject;
  // The person was seen again. The old count must not remain when the change is held or fails.
  const seen = reset(ours);
  if (user === undefined) {
    if (ledger?.removed?.blacklist === true) {
      const text =
        'is active again, but Rollcall removed the user with blacklist. If the person must have an account, create the user by hand';
      return { rule: 'active-blacklisted', finding: finding(subject, 'removed-with-blacklist', text) };
    }
    if (person.refusesCreate !== undefined) {
      const text = `${person.at}: no account is created: ${person.refusesCreate}`;
      return { rule: 'create-refused', finding: finding(subject, 'create-refused', text), ...seen };
    }
    return { rule: 'active-create', change: create(identification, person.fields, ledger?.removed), ...seen };
  }
  const known = ledger?.removed === undefined ? ledger : undefined;
  const compared = diffFields(person.fields, user, known, rules);
  const difference = { ...compared, written: withKnown(compared.written, user, known, rules.carried ?? []) };
  // Assumed values persist even if the change fails. For a user that is not ours yet, the change stores them.
  const learned = { ...reset(ours, difference.assumed), ...given({ kept: compared.kept }) };
  if (user.enabled) {
    if (difference.changed.length > 0) {
      return { rule: 'active-update', change: update(user, identification, difference), ...learned };
    }
    const entry =
      ours === undefined
        ? adopted(rules.name, identification, difference.assumed)
        : seenInSource(ours, true, difference.assumed);
    const changed = entry === ledger ? undefined : entry;
    const equal: Decision = { rule: 'active-equal', ...given({ ledger: changed, kept: compared.kept }) };
    if (difference.givenUp === undefined) return equal;
    const text = `the platform ignored ${difference.givenUp.join(', ')} ${maxSends} times, so they are not sent again until the value changes on either side`;
    return { ...equal, finding: finding(subject, 'ignored-field', text) };
  }
  const isForeign = ours === undefined ? subject.wasEnabled === true : ours.disabledAt === undefined;
  if (person.refusesEnable !== undefined && (!isForeign || rules.foreignDisable === 'enable')) {
    const text = `${person.at}: the account stays disabled: ${person.refusesEnable}`;
    return { rule: 'enable-refused', finding: finding(subject, 'enable-refused', text), ...seen };
  }
  if (!isForeign) {
    const why = ours === undefined ? 'active employee, account disabled when first seen' : 'returned employee';
    return { rule: 'active-enable', change: enable(user, identification, difference, why), ...learned };
  }
  if (rules.foreignDisable === 'enable') {
    const why = 'active employee, account disabled outside Rollcall';
    const change = enable(user, identification, difference, why);
    return { rule: 'active-foreign-disable', change, ...learned };
  }
  const text =
    'is active in the source, but the account was disabled outside Rollcall: enable it by hand, or set foreignDisable: enable';
  return { rule: 'active-foreign-disable', finding: finding(subject, 'foreign-disable', text), ...seen };
}

export const permitted: Readonly<Record<Policy, readonly ChangeKind[]>> = {
  sync: ['create', 'update', 'enable', 'disable', 'remove', 'lead', 'unlead'],
  'upsert-only': ['create', 'update', 'enable', 'lead'],
  'create-only': ['create'],
};

export function permit<Name extends string>(decision: Decision<Name>, subject: CurrentCase): Decision<Name> {
  const { rules } = subject;
  const { change, ...rest } = decision;
  if (change === undefined) return decision;
  if (!permitted[rules.policy].includes(change.kind)) return { ...rest, forbidden: change.kind };
  const isTaking = change.kind === 'disable' || change.kind === 'remove' || rest.rule === 'leaver-parked';
  if (isTaking && rules.protected.includes(subject.identification)) {
    const text = `is protected by configuration: the ${change.kind} (${change.reason}) was left out`;
    return { ...rest, forbidden: change.kind, finding: finding(subject, 'protected-user', text) };
  }
  return decision;
}

/** Clears missing and gone: the person was seen, although the record is not usable. */
function reset(
  ours: LedgerEntry | undefined,
  assumed: FieldValues = {},
): { ledger: LedgerEntry } | Record<string, never> {
  if (ours === undefined) return {};
  const entry = seenInSource(ours, false, assumed);
  return entry === ours ? {} : { ledger: entry };
}

export function finding(subject: Case, code: FindingCode, message: string, at?: string): Finding {
  const place = at ?? ('person' in subject.source ? subject.source.person.at : undefined);
  return { code, identification: subject.identification, message, ...(place === undefined ? {} : { at: place }) };
}
