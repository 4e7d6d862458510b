import type { BlockedTally } from '../../core/guard/blocked.ts';
import { earlierOf, earlierOfBoth, markedWith } from '../../core/person/earlier.ts';
import { likeness } from '../../core/person/identification.ts';
import type { EarlierPerson, Person, RejectedPerson } from '../../core/person/person.ts';
import { leftLater, preferred, withOutside } from '../../core/person/prefer.ts';
import type { Finding } from '../../core/run/finding.ts';
import { countOf } from '../../core/run/formats.ts';
import type { Sync } from '../engine-io.ts';
import { mark } from './marks.ts';
import type { PeopleIndex } from './people-index.ts';
import type { Absent } from './person-text.ts';
import { lifecycleTrouble } from './source-says.ts';

type AnyRecord = Person | RejectedPerson;

/** Whether two people who work here have one identification. One who left may have had the number of another before. */
function areDifferent(one: AnyRecord, other: AnyRecord): boolean {
  if (one.kind === 'rejected' || other.kind === 'rejected') return false;
  if (one.standing !== 'active' || other.standing !== 'active') return false;
  const differ = (name: 'firstName' | 'email' | 'lastName'): boolean => {
    const [a, b] = [one.fields[name], other.fields[name]];
    return a !== undefined && b !== undefined && a.toLowerCase() !== b.toLowerCase();
  };
  return differ('firstName') && (differ('email') || differ('lastName'));
}

/** Whether one of two records whose identifications look alike may be of a person who has no account. */
function mayLackAccess(one: AnyRecord | Absent, other: AnyRecord): boolean {
  if (one.kind === 'absent') return false;
  if (one.kind === 'rejected' || other.kind === 'rejected') return true;
  return other.isInScope && (one.standing !== other.standing || areDifferent(one, other));
}

function isGuessed(record: AnyRecord): boolean {
  return record.kind === 'rejected' && record.isGuessed === true;
}

/** The marks that one record sets. */
const ofRecord = mark.inSource | mark.active | mark.leaver | mark.outOfScope | mark.undated;

const ofSeveral = mark.tied | mark.unsure | mark.worksOutside | mark.unknownOutside;

/**
 * Maximum number of people whose other record is remembered for the message. Equal to the number of findings that are
 * kept.
 */
const keptPlaces = 10_000;

/** Number of people of one e-mail that the message names. */
const namedPeople = 5;

/** Number of places that the message names besides the first. */
const namedPlaces = 3;

export interface FilingJob {
  readonly sync: Pick<Sync, 'settings'>;
  readonly index: PeopleIndex;
  /** Counts the people whose lifecycle dates are unreadable, and the further records of one identification. */
  readonly blocked: Pick<BlockedTally, 'add' | 'addRows'> | undefined;
  readonly find: (finding: Finding) => void;
}

/** Stores the people of a read in the index, one record for each. */
export function openRecordFiling({ index, sync, find, blocked }: FilingJob) {
  const { settings } = sync;
  const isByEmail = settings.match.includes('email');
  /** By slot: where the records are that do not go with the one in the index. */
  const others = new Map<number, { readonly places: string[]; count: number }>();

  /** By slot: the record that shows that the person left, of a later day than the one that counts. */
  const later = new Map<number, Person>();

  const shared = new Set<number>();
  let doubled = 0;

  const put = (slot: number, person: AnyRecord): void => {
    index.fill(slot, person);
    index.set(slot, mark.inSource);
    if (person.kind === 'rejected') return;
    if (person.standing === 'active') index.set(slot, mark.active);
    if (person.standing === 'leaver') index.set(slot, mark.leaver);
    if (!person.isInScope) index.set(slot, mark.outOfScope);
    if (person.standing === 'active' && person.isInScope && lifecycleTrouble(person) !== undefined) {
      index.set(slot, mark.undated);
    }
    const email = claimedEmail(person);
    if (isByEmail && email !== undefined) index.addEmail(email, slot);
  };

  /** By slot: the records of people who work here. The one that is kept may be of someone who left. */
  const working = new Map<number, readonly AnyRecord[]>();

  const noteShared = (slot: number, records: readonly AnyRecord[]): void => {
    const known = working.get(slot) ?? [];
    const all = [...known, ...records.filter((one) => one.kind === 'person' && one.standing === 'active')];
    if (all.some((one, i) => all.slice(0, i).some((earlier) => areDifferent(earlier, one)))) shared.add(slot);
    if (working.size < keptPlaces && all.length > known.length) working.set(slot, all.slice(0, namedPeople));
  };

  const compare = (slot: number, other: AnyRecord, person: AnyRecord): void => {
    noteShared(slot, working.has(slot) ? [person] : [other, person]);
    for (const record of [other, person]) index.set(slot, outsideMarks(record));
    const counts = preferred(other, person);
    const [kept, lost] = counts === 'second' ? [person, other] : [other, person];
    if (kept.kind === 'person' && lost.kind === 'person' && later.size < keptPlaces) {
      if (leftLater(settings.prefer ?? [], kept, lost)) later.set(slot, lost);
    }
    const isMarked = earlierOf(kept) !== kept || earlierOf(lost) !== lost;
    const counting = isMarked ? marked(kept, earlierOf(lost)) : kept;
    if (counts === 'second') {
      index.clear(slot, mark.tied | ofRecord);
      index.dropEmail(slot);
      put(slot, counting);
      return;
    }
    if (counting !== kept) index.fill(slot, counting);
    if (counts === 'first') return;
    index.set(slot, counts === 'tie' ? mark.tied : mark.unsure);
    const known = others.get(slot) ?? { places: [], count: 0 };
    if (others.size < keptPlaces) others.set(slot, known);
    known.count += 1;
    if (known.places.length < namedPlaces) known.places.push(person.at);
  };

  const marked = (person: AnyRecord, other: EarlierPerson): AnyRecord =>
    person.kind === 'person' ? markedWith(person, earlierOfBoth(earlierOf(person), other)) : person;

  const replaceGuess = (slot: number, other: AnyRecord, person: AnyRecord): void => {
    const guess = isGuessed(person) ? person : other;
    if (guess === other) put(slot, person);
    const { at, identification, column, reason } = guess as RejectedPerson;
    find({ code: 'row-rejected', identification, at, message: `${at}, ${column}: ${reason}` });
  };

  const settlePerson = (slot: number): void => {
    const person = index.person(slot);
    if (person.kind === 'absent') return;
    const { identification, at } = person;
    const undecided = (why: string): void => {
      index.set(slot, mark.conflict);
      blocked?.addRows(others.get(slot)?.count ?? 1);
      const message = `${sameNames(at, others.get(slot))} have the identification ${identification}, ${why}: the user is not changed`;
      find({ code: 'duplicate-key', identification, at, message, others: others.get(slot)?.places ?? [] });
    };
    if (index.has(slot, mark.unsure)) undecided('and scope or prefer cannot be evaluated for one of them');
    else if (index.has(slot, mark.tied) && (others.has(slot) || !index.has(slot, mark.conflict))) {
      undecided(
        settings.prefer === undefined ? 'and the sync has no prefer rule that decides' : 'and no prefer rule decides',
      );
    } else if (person.kind === 'person') {
      const facts = { works: index.has(slot, mark.worksOutside), isUnknown: index.has(slot, mark.unknownOutside) };
      const judged = withOutside(person, facts);
      if (judged === undefined) undecided('and the status of one out of scope is not known');
      else if (judged !== person) {
        index.clear(slot, ofRecord);
        put(slot, judged);
      }
    }
  };

  const settleEmails = (): void => {
    const claims = index.settleSharedEmails((one) => claimedEmail(index.person(one)));
    for (const [holder, all] of Map.groupBy(claims, (claim) => claim.holder)) {
      const slots = [holder, ...all.map(({ slot }) => slot)];
      const people = slots.map((slot) => index.person(slot));
      const [first, ...others] = people;
      const message = `${namesOf(people)} have the same e-mail`;
      // Each person gets one finding, because a later delta may show only one of them and looks it up by name.
      for (const person of index.has(holder, mark.conflict) ? others : people) {
        const { identification } = person;
        const other = person === first ? {} : { other: first?.identification ?? '' };
        const shown = people.filter((one) => one !== person).slice(0, namedPeople);
        find({
          code: 'email-conflict',
          identification,
          at: placeOf(person),
          message,
          ...other,
          others: shown.map(nameOf),
        });
      }
      for (const slot of slots) index.set(slot, mark.conflict);
    }
  };

  return {
    /**
     * Stores one record. The index keeps the record that counts when a person has several; `scope` and `prefer`
     * decide (see `core/person/prefer.ts`).
     */
    file(person: AnyRecord) {
      const { identification, at } = person;
      const { slot, isExact } = index.find(identification);
      if (slot === -1) {
        put(index.add(identification), person);
        return;
      }
      const other = index.person(slot);
      if (isExact && other.kind === 'absent' && other.earlier !== undefined) {
        put(slot, marked(person, other.earlier));
        return;
      }
      if (isExact && other.kind !== 'absent') {
        doubled += 1;
        if (isGuessed(person) !== isGuessed(other)) replaceGuess(slot, other, person);
        else compare(slot, other, person);
        return;
      }
      index.set(slot, mayLackAccess(other, person) ? mark.conflict | mark.tied : mark.conflict);
      blocked?.addRows(1);
      const names = `${nameOf(other)} and ${identification} (${at})`;
      const message = `${names} ${likeness(other.identification, identification)}: neither is changed. Correct one of them in HR`;
      find({ code: 'case-conflict', identification, at, message, others: [nameOf(other)] });
    },
    /** Stores whom the earlier configuration names by a record that is another person's today. */
    fileEarlier(record: AnyRecord) {
      const { identification } = record;
      const found = index.find(identification);
      const slot = found.slot === -1 ? index.add(identification) : found.slot;
      const person = found.slot === -1 || !found.isExact ? undefined : index.person(slot);
      if (found.slot !== -1 && person === undefined) return;
      if (person === undefined || person.kind === 'absent') {
        index.name(slot, identification, earlierOfBoth(person?.earlier ?? 'nobody', record));
      } else index.fill(slot, marked(person, record));
    },
    /** Returns how many identifications stand for different people. */
    shared: () => shared.size,
    /** Returns how many records there are beyond the first one of each identification. */
    doubled: () => doubled,
    /** Judges after the last record what the records of each person mean together, and who claims one e-mail. */
    settle() {
      for (let slot = 0; slot < index.size; slot += 1) {
        if (index.hasAny(slot, ofSeveral)) settlePerson(slot);
        if (!index.has(slot, mark.undated)) continue;
        const person = index.person(slot);
        const undated = person.kind === 'person' ? lifecycleTrouble(person) : undefined;
        if (undated === undefined) continue;
        blocked?.add({ kind: 'row-rejected', at: placeOf(person), column: undated.column, reason: undated.reason });
      }
      for (const [slot, left] of later) {
        const person = index.person(slot);
        if (person.kind !== 'person' || !leftLater(settings.prefer ?? [], person, left)) continue;
        const { identification, at } = person;
        const message = `${at} counts by prefer, but ${left.at} is newer and says that ${identification} left. If it should count, name the date first in prefer`;
        find({ code: 'cell-suspect', identification, at, message });
      }
      settleEmails();
    },
  };
}

function outsideMarks(record: AnyRecord): number {
  if (record.kind === 'rejected' || record.isInScope) return 0;
  if (record.standing === 'active') return mark.worksOutside;
  return record.standing === 'unknown' ? mark.unknownOutside : 0;
}

/** Only people who should have an account claim an e-mail. Leavers, future hires and people out of scope do not. */
function claimedEmail(person: AnyRecord | Absent): string | undefined {
  if (person.kind !== 'person' || person.standing !== 'active' || !person.isInScope) return undefined;
  return person.fields.email === '' ? undefined : person.fields.email;
}

/** Returns the subject of the sentence: `line 2 and line 7 both`, `line 2, line 7 and 3 more records all`. */
function sameNames(
  at: string,
  others: { readonly places: readonly string[]; readonly count: number } | undefined,
): string {
  if (others === undefined) return `${at} and another record both`;
  const { places, count } = others;
  const more = count - places.length;
  const rest = more > 0 ? countOf(more, 'more record', 'more records') : places.at(-1);
  const first = [at, ...(more > 0 ? places : places.slice(0, -1))].join(', ');
  return `${first} and ${rest} ${count === 1 ? 'both' : 'all'}`;
}

/** Returns people with their places: `E131 (line 32), E132 (line 33) and 5 more people`. */
function namesOf(people: readonly (AnyRecord | Absent)[]): string {
  const named = people.slice(0, namedPeople).map(nameOf);
  const more = people.length - named.length;
  const last = more > 0 ? countOf(more, 'more person', 'more people') : named.pop();
  return `${named.join(', ')} and ${last}`;
}

function nameOf(record: AnyRecord | Absent): string {
  return `${record.identification} (${placeOf(record)})`;
}

function placeOf(record: AnyRecord | Absent): string {
  return record.kind === 'absent' ? 'another record' : record.at;
}
