import type { BlockedPerson, BlockedTally } from '../../core/guard/blocked.ts';
import type { Person, RejectedPerson } from '../../core/person/person.ts';
import type { Case, Decision, SourceSays } from '../../core/plan/plan.ts';
import { absentWithoutLookup, type Snapshot } from '../../core/plan/snapshot.ts';
import type { Finding } from '../../core/run/finding.ts';
import type { CellTrouble } from '../../core/run/refusal.ts';
import type { PeopleIndex } from './people-index.ts';
import type { Absent } from './person-text.ts';

/**
 * Returns what this read shows about a person. Only a proven snapshot allows more than *active*. `wait`: the outcome of
 * an earlier change to this user is not known. `person` is undefined when no record of this read names the person.
 * `asked`: what a lookup by id says of a person who is missing from the read.
 */
export function sayOf(
  person: Person | RejectedPerson | undefined,
  snapshot: Snapshot,
  wait?: { readonly reason: string },
  asked?: SourceSays,
): SourceSays {
  if (wait !== undefined) return { says: 'unusable', code: 'unresolved', reason: wait.reason };
  if (person === undefined) {
    if (asked !== undefined) return asked;
    return snapshot.missing === undefined
      ? { says: 'nothing', reason: 'not in this read, which cannot prove that a person is missing', isSeen: false }
      : { says: 'missing', proof: absentWithoutLookup(snapshot.missing) };
  }
  const { at } = person;
  if (person.kind === 'rejected') {
    return { says: 'unusable', code: 'row-rejected', reason: `${at}, ${person.column}: ${person.reason}`, at };
  }
  if (person.standing === 'unknown') {
    return { says: 'unusable', code: 'status-unknown', reason: `${at}: ${person.standingReason}`, at };
  }
  const unproven = {
    says: 'nothing',
    reason: `${person.standingReason}; but the read was not complete`,
    isSeen: person.standing !== 'leaver',
  } as const;
  if (!person.isInScope) {
    return snapshot.leavers === undefined ? unproven : { says: 'out-of-scope', person, proof: snapshot.leavers };
  }
  if (person.standing === 'future') return { says: 'nothing', reason: person.standingReason, isSeen: true };
  if (person.standing === 'active') return { says: 'active', person };
  return snapshot.leavers === undefined ? unproven : { says: 'leaver', person, proof: snapshot.leavers };
}

/** Returns the first lifecycle date that is unreadable, or undefined. */
export function lifecycleTrouble({ troubles }: Person): CellTrouble | undefined {
  return troubles.find(({ field }) => field === 'hireDate' || field === 'leaveDate');
}

/**
 * Returns how a person of the source is blocked. Returns undefined for people with a decision, without a record, with a
 * pending outcome, or outside the sync. `isKnown`: the ledger has the person, so scope does not matter.
 */
export function blockedPerson(
  person: Person | RejectedPerson | Absent,
  source: SourceSays,
  { rule }: Pick<Decision<string>, 'rule'>,
  isKnown: boolean,
): BlockedPerson | undefined {
  if (person.kind === 'absent') return undefined;
  if (rule === 'create-refused' || rule === 'enable-refused') return refusedRow(person);
  if (rule !== 'unusable' || source.says !== 'unusable') return undefined;
  switch (source.code) {
    case 'unresolved':
      return undefined;
    case 'row-rejected':
      return refusedRow(person);
    case 'status-unknown':
      if (person.kind === 'rejected' || !(person.isInScope || isKnown)) return undefined;
      return lifecycleTrouble(person) === undefined ? { kind: 'status-unknown', at: person.at } : refusedRow(person);
    default:
      return { kind: 'identity-conflict', at: person.at };
  }
}

/**
 * Returns whether the person's account stays enabled, or is not enabled, only because of trouble with the record. A
 * person who certainly works here and has an enabled account is unchanged, and so is a leaver with a disabled one.
 * `isCertain`: one record counts for the person.
 */
export function accessTrouble(
  person: Person | RejectedPerson | Absent,
  { source, user }: Pick<Case, 'source' | 'user'>,
  { rule }: Pick<Decision<string>, 'rule'>,
  isCertain: boolean,
): 'keep' | 'lack' | undefined {
  if (person.kind === 'absent') return undefined;
  const isEnabled = user?.enabled === true;
  if (rule === 'create-refused' || rule === 'enable-refused') return 'lack';
  const standing = person.kind === 'person' && isCertain ? person.standing : 'unknown';
  if (source.says !== 'unusable') {
    const isUndated = person.kind === 'person' && person.troubles.some(({ field }) => field === 'leaveDate');
    return isUndated && isEnabled && standing === 'active' && person.isInScope ? 'keep' : undefined;
  }
  if (source.code === 'unresolved' || (standing === 'active' && isEnabled) || standing === 'future') return undefined;
  // A leaver without an account may have it under another identification.
  if (standing === 'leaver') return isEnabled || user === undefined ? 'keep' : undefined;
  return isEnabled ? 'keep' : 'lack';
}

function refusedRow(person: Person | RejectedPerson): BlockedPerson {
  const cell = person.kind === 'rejected' ? person : (lifecycleTrouble(person) ?? person.troubles[0]);
  return { kind: 'row-rejected', at: person.at, column: cell?.column ?? '', reason: cell?.reason ?? 'cannot be used' };
}

/** Counts the people of a read in which no person is usable. */
export function countUnusable(index: PeopleIndex, snapshot: Snapshot, tally: Pick<BlockedTally, 'add'>): void {
  for (let slot = 0; slot < index.size; slot += 1) {
    const person = index.person(slot);
    if (person.kind === 'absent') continue;
    const blocked = blockedPerson(person, sayOf(person, snapshot), { rule: 'unusable' }, true);
    if (blocked !== undefined) tally.add(blocked);
  }
}

/** Yields why each person cannot be used, for a read in which no person is usable. */
export function* unusablePeople(index: PeopleIndex, snapshot: Snapshot): Generator<Finding, void> {
  for (let slot = 0; slot < index.size; slot += 1) {
    const person = index.person(slot);
    if (person.kind === 'absent') continue;
    const said = sayOf(person, snapshot);
    if (said.says !== 'unusable') continue;
    const { code, reason: message, at } = said;
    yield { code, identification: person.identification, message, ...(at === undefined ? {} : { at }) };
  }
}
