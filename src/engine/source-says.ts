import type { BlockedPerson, BlockedTally } from '../core/blocked.ts';
import type { Finding } from '../core/finding.ts';
import type { Person, RejectedPerson } from '../core/person.ts';
import type { Decision, SourceSays } from '../core/plan.ts';
import type { CellTrouble } from '../core/refusal.ts';
import type { Snapshot } from '../core/snapshot.ts';
import type { PeopleIndex } from './people-index.ts';
import type { Absent } from './person-text.ts';

/**
 * Says what this read may say of a person; only a proven snapshot lets it say more than *active*. `isBlocked`: an earlier
 * change to this user has an unknown fate. Undefined person: no record of this read names them.
 */
export function sayOf(person: Person | RejectedPerson | undefined, snapshot: Snapshot, isBlocked: boolean): SourceSays {
  if (isBlocked) {
    const reason = 'an earlier change has an unknown fate: nothing is sent to this user until it is known';
    return { says: 'unusable', code: 'unresolved', reason };
  }
  if (person === undefined) {
    return snapshot.missing === undefined
      ? { says: 'nothing', reason: 'not in this read, which proves nothing about absence', isSeen: false }
      : { says: 'missing', proof: snapshot.missing };
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

/** The first date of the lifecycle that cannot be read, or undefined. */
export function lifecycleTrouble({ troubles }: Person): CellTrouble | undefined {
  return troubles.find(({ field }) => field === 'hireDate' || field === 'leaveDate');
}

/**
 * Says how a person of the source is blocked. Undefined for people for whom something was decided, whom no record names,
 * who wait for an outcome, or whom the sync has nothing to do with. `isKnown`: the ledger has them, so scope does not matter.
 */
export function blockedPerson(
  person: Person | RejectedPerson | Absent,
  source: SourceSays,
  { rule }: Pick<Decision, 'rule'>,
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
      return { kind: 'conflict', at: person.at };
  }
}

function refusedRow(person: Person | RejectedPerson): BlockedPerson {
  const cell = person.kind === 'rejected' ? person : (lifecycleTrouble(person) ?? person.troubles[0]);
  return { kind: 'row-refused', at: person.at, column: cell?.column ?? '', reason: cell?.reason ?? 'cannot be used' };
}

/** Counts the people of a read of which nobody can be used. */
export function countUnusable(index: PeopleIndex, snapshot: Snapshot, tally: Pick<BlockedTally, 'add'>): void {
  for (let slot = 0; slot < index.size; slot += 1) {
    const person = index.person(slot);
    if (person.kind === 'absent') continue;
    const blocked = blockedPerson(person, sayOf(person, snapshot, false), { rule: 'unusable' }, true);
    if (blocked !== undefined) tally.add(blocked);
  }
}

/** Why each person of a read cannot be used, for a read that is good for nothing else. */
export function* unusablePeople(index: PeopleIndex, snapshot: Snapshot): Generator<Finding, void> {
  for (let slot = 0; slot < index.size; slot += 1) {
    const person = index.person(slot);
    if (person.kind === 'absent') continue;
    const said = sayOf(person, snapshot, false);
    if (said.says !== 'unusable') continue;
    const { code, reason: message, at } = said;
    yield { code, identification: person.identification, message, ...(at === undefined ? {} : { at }) };
  }
}
