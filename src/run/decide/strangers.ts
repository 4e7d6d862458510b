import { severalStrangers } from '../../core/guard/guard.ts';
import { earlierOf } from '../../core/person/earlier.ts';
import type { User } from '../../core/person/fields.ts';
import type { Person, RejectedPerson } from '../../core/person/person.ts';
import { compareWithAccount, isAsLastSeen, looksLike, nameDigest, whoWords } from '../../core/person/same-person.ts';
import type { Decision } from '../../core/plan/plan.ts';
import { pager, saltedHash } from '../../core/plan/roster.ts';
import type { Standing } from '../../core/plan/standing.ts';
import { ofIdentity, type Stranger } from '../../core/plan/stranger.ts';
import { chunk } from '../../core/run/batch.ts';
import type { Finding } from '../../core/run/finding.ts';
import { countOf } from '../../core/run/formats.ts';
import type { DirectoryRow } from '../../ports/reads.ts';
import type { EngineIo } from '../engine-io.ts';
import type { PlanWork } from '../plan-job.ts';
import { mark } from '../read/marks.ts';
import type { Absent } from '../read/person-text.ts';

/** A person of a read with the account of the identification. */
interface Claimed {
  readonly slot: number;
  readonly person: Person | RejectedPerson | Absent;
  readonly user: User | undefined;
}

interface Named extends Claimed {
  readonly person: Person;
  readonly user: User;
}

/** The records of a plan that are about other people than their accounts. */
export type Strangers = ReturnType<typeof openStrangers>;

const shownExamples = 3;

export function openStrangers(
  work: Pick<PlanWork, 'sync' | 'index' | 'salt'>,
  { identities }: Pick<Standing, 'identities'>,
  io: EngineIo,
) {
  const { index } = work;
  const found = new Map<number, Stranger>();
  const unclear = new Set<number>();
  let unchecked = 0;

  const isOther = (one: Named, isMoved: boolean, last: DirectoryRow | undefined): boolean | undefined => {
    const { person, user } = one;
    const seen = last && isAsLastSeen(person.fields, last);
    if (seen === 'by name') return false;
    const earlier = earlierOf(person);
    if (earlier !== person && earlier !== 'nobody' && earlier.kind === 'person') {
      if (last !== undefined && isAsLastSeen(earlier.fields, last) !== undefined) return false;
      if (['same name', 'same'].includes(compareWithAccount(earlier.fields, user.fields))) return false;
    }
    if (isMoved) return true;
    const likeness = seen === undefined ? compareWithAccount(person.fields, user.fields) : 'same';
    return likeness === 'unknown' ? undefined : likeness === 'another';
  };

  return {
    /** Marks and returns those of some people, by slot. */
    async judge(people: readonly Claimed[]) {
      const doubted = people.filter(isDoubted);
      const isMoved = openMoves(doubted);
      const asked = doubted.filter((one) => isMoved(one) || !isProbable(one));
      const last = await lastSeen(asked, work, io);
      const strangers = new Map<number, Stranger>();
      for (const one of asked) {
        const { slot, user, person } = one;
        const { identification } = person;
        const verdict = isOther(one, isMoved(one), last.get(identification));
        if (verdict === undefined) unclear.add(slot);
        const decision = identities.get(identification);
        const digest = nameDigest(person.fields);
        const isDecided = decision?.accountId === user.id && (decision.nameDigest ?? digest) === digest;
        if (verdict !== true || (isDecided && decision.way === 'same')) continue;
        const words = `${identification} was ${whoWords(user.fields)}; HR now calls ${identification} ${whoWords(person.fields)}`;
        const stranger = { words, nameDigest: digest, ...(isDecided ? { parted: decision } : {}) };
        index.set(slot, mark.stranger);
        strangers.set(slot, stranger);
        if (!isDecided) found.set(slot, stranger);
      }
      return strangers;
    },

    /**
     * Gives disables the class `identity` where the account's person may work here: an active person looks like them, or several
     * records show another person. HR makes people who left anonymous, so any other leaver goes. Asked after the people who
     * are active were judged.
     */
    withDisables<Made extends Decision<string>>(people: readonly (Claimed & { readonly decision: Made })[]) {
      return people.map(({ slot, user, decision }) => {
        const { change, rule } = decision;
        if (change?.kind === 'update' || change?.kind === 'enable') unchecked += unclear.has(slot) ? 1 : 0;
        if (change?.kind !== 'disable' || user === undefined || !unsigned.has(rule)) return decision;
        const stranger = found.get(slot);
        if (rule !== 'missing-disable') {
          const isHeld =
            stranger !== undefined && (found.size >= severalStrangers || worksHere(user, slot, allSlots(index)));
          return isHeld ? ofIdentity(decision, stranger) : decision;
        }
        const words = `the account belongs to ${whoWords(user.fields)}, who has another identification in HR`;
        return worksHere(user, slot, found.keys()) ? ofIdentity(decision, { words }) : decision;
      });
    },

    /** Returns the first of them about whom nothing was decided. */
    examples: () => [...found.keys()].slice(0, shownExamples).map((slot) => index.person(slot).identification),

    /** Tells once of people whose names are in two scripts, with nothing else to compare. */
    tell(find: (finding: Finding) => void) {
      if (unchecked === 0) return;
      const who = countOf(unchecked, 'name is', 'names are');
      const message = `${who} in another script than on the platform, and no e-mail, birth date or entry date can be compared instead`;
      find({ code: 'identity-unchecked', message });
    },
  };

  /** Returns whether an active person of these slots looks like the account's. */
  function worksHere(user: User, own: number, slots: Iterable<number>): boolean {
    for (const slot of slots) {
      if (slot === own || !index.has(slot, mark.inSource | mark.active)) continue;
      const person = index.person(slot);
      if (person.kind === 'person' && looksLike(person.fields, user.fields)) return true;
    }
    return false;
  }
}

/** The rules of disables for which no person decided. */
const unsigned: ReadonlySet<string> = new Set(['leaver-enabled', 'out-of-scope', 'missing-disable']);

function* allSlots({ size }: { readonly size: number }): Generator<number, void> {
  for (let slot = 0; slot < size; slot += 1) yield slot;
}

/** Returns whether the name of the record is not that of the account. A disabled account of a leaver is left as it is. */
function isDoubted(one: Claimed): one is Named {
  const { person, user } = one;
  if (person.kind !== 'person' || user === undefined || (person.standing === 'leaver' && !user.enabled)) return false;
  return compareWithAccount(person.fields, user.fields) !== 'same name';
}

function isProbable({ person, user }: Named): boolean {
  return compareWithAccount(person.fields, user.fields) === 'same';
}

/** Returns whether a record is about the person of another of these accounts, as when rows are shifted among relatives. */
function openMoves(people: readonly Named[]): (one: Named) => boolean {
  const keysOf = ({ email, birthDate, orgEntryDate }: User['fields']): readonly string[] =>
    [email?.toLowerCase(), birthDate, orgEntryDate].flatMap((value, i) => (value ? [`${i} ${value}`] : []));
  const accounts = new Map<string, Named[]>();
  for (const one of people) {
    for (const key of keysOf(one.user.fields)) accounts.set(key, [...(accounts.get(key) ?? []), one]);
  }
  return ({ slot, person }) =>
    keysOf(person.fields).some((key) =>
      accounts.get(key)?.some((other) => other.slot !== slot && looksLike(person.fields, other.user.fields)),
    );
}

const pagesAtOnce = 50;

/** Returns what the last accepted read showed of these people, but for those who were strangers. */
async function lastSeen(
  people: readonly Named[],
  { sync, salt }: Pick<PlanWork, 'sync' | 'salt'>,
  { store }: EngineIo,
): Promise<ReadonlyMap<string, DirectoryRow>> {
  const rows = new Map<string, DirectoryRow>();
  if (people.length === 0) return rows;
  const { name } = sync.settings;
  const header = (await store.directories.list()).find((one) => one.sync === name);
  if (header === undefined) return rows;
  const [hash, pageOf] = [saltedHash(salt), pager(header.pages)];
  const names = new Set(people.map(({ person }) => person.identification));
  const pages = new Set([...names].map((one) => pageOf(hash.of(one.toLowerCase()).hi)));
  for (const some of chunk([...pages], pagesAtOnce)) {
    for (const { rows: all } of await store.directories.read(name, some)) {
      for (const row of all) {
        const isKnown = row.side === 'source' && row.isStranger !== true && names.has(row.identification);
        if (isKnown) rows.set(row.identification, row);
      }
    }
  }
  return rows;
}
