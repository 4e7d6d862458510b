import { setImmediate as nextTurn } from 'node:timers/promises';
import { bareForm } from '../../core/guard/damage.ts';
import type { LeaderField } from '../../core/person/fields.ts';
import type { LeaderReference, Person } from '../../core/person/person.ts';
import type { WantedLeaders, WantedMain } from '../../core/plan/leaders.ts';
import { isOpenAccount, type LedgerEntry, type WaitingLeader } from '../../core/plan/ledger.ts';
import { chunk } from '../../core/run/batch.ts';
import { given } from '../../core/run/given.ts';
import { earlierLed } from '../decide/decide-both.ts';
import type { EngineIo } from '../engine-io.ts';
import type { PlanWork } from '../plan-job.ts';
import { mark } from '../read/marks.ts';
import type { PeopleIndex } from '../read/people-index.ts';

/** What a reference to a leader means in this read. */
export type Resolved =
  | { readonly says: 'leader'; readonly identification: string }
  /** The leader cannot be set yet. `why` continues "the leader". */
  | { readonly says: 'waits'; readonly why: string }
  | { readonly says: 'conflict'; readonly why: string };

export interface ResolveJob {
  readonly index: PeopleIndex;
  /** A full read shows every employee; another one only some. */
  readonly isFull: boolean;
}

/**
 * Resolves references over the people of the read, and over the ledger for people whom other reads and syncs know.
 *
 *   the leader                                        | then
 *   --------------------------------------------------+------------------------------------------
 *   has an account, or gets one in this plan          | can be set
 *   has an e-mail of two people, or is in a conflict  | conflict: no change
 *   left                                              | waits, until HR names another one
 *   has no account                                    | waits
 *   is in no read, and has an account of another sync | can be set
 *   is in no full read                                | waits
 *
 * A reference that names no one is read again without what programs add to numbers (see `bareForm`).
 */
export function resolveReference(
  { by, value }: LeaderReference,
  { index, isFull }: ResolveJob,
  ledger: ReadonlyMap<string, LedgerEntry>,
): Resolved {
  if (by === 'email') {
    const slot = index.findEmail(value);
    if (slot !== -1) return resolveSlot(slot, index.person(slot).identification, index);
    const why = isFull ? 'has no record: no active employee has the e-mail' : 'is not in this read';
    return { says: 'waits', why };
  }
  // A program that wrote `1001.0` for a manager wrote it for many.
  for (const name of new Set([value, bareForm(value)])) {
    const { slot, isExact } = index.find(name);
    const isShown = isExact && index.has(slot, mark.inSource) && !index.has(slot, mark.bystander);
    if (isShown) return resolveSlot(slot, name, index);
  }
  const entry = ledger.get(value);
  if (isOpenAccount(entry)) return { says: 'leader', identification: value };
  return { says: 'waits', why: entry === undefined ? 'is not known here' : 'has no enabled account' };
}

function resolveSlot(slot: number, identification: string, index: PeopleIndex): Resolved {
  if (index.has(slot, mark.conflict)) return { says: 'conflict', why: 'the leader is two people, or in a conflict' };
  if (index.has(slot, mark.leaver)) return { says: 'waits', why: 'left' };
  if (index.has(slot, mark.seen) || index.has(slot, mark.leadable)) return { says: 'leader', identification };
  return { says: 'waits', why: 'has no account yet' };
}

/** A reference that cannot be set yet. `why` continues "the leader". */
export interface WaitingReference extends Omit<WaitingLeader, 'since'> {
  readonly why: string;
}

export interface ResolvedWish {
  readonly wanted: WantedLeaders;
  readonly waits: readonly WaitingReference[];
  /** Why the main leader is not changed, as a sentence without its subject. */
  readonly trouble?: { readonly code: 'leader-self' | 'leader-conflict'; readonly message: string };
}

/** Resolves what one record says about the person's leaders. */
export function resolveWish(
  { identification, leaders = {} }: Person,
  resolve: (reference: LeaderReference) => Resolved,
): ResolvedWish {
  const waits: WaitingReference[] = [];
  let trouble: ResolvedWish['trouble'];
  const settle = (reference: LeaderReference, of: LeaderField): string | undefined => {
    const found = resolve(reference);
    if (found.says === 'waits') waits.push({ ...reference, of, why: found.why });
    if (found.says === 'conflict') trouble = { code: 'leader-conflict', message: `no leader is set: ${found.why}` };
    if (found.says !== 'leader') return undefined;
    if (found.identification !== identification) return found.identification;
    trouble = { code: 'leader-self', message: 'the source names the person as their own leader. Correct the source' };
    return undefined;
  };
  const { main: claim, secondary: claims } = leaders;
  const leader = claim === undefined || claim === 'none' ? undefined : settle(claim, 'mainLeader');
  const main: WantedMain =
    claim === 'none'
      ? { says: 'none' }
      : leader === undefined
        ? { says: 'keep' }
        : { says: 'leader', identification: leader };
  if (claims === undefined) return { wanted: { main }, waits, ...given({ trouble }) };
  const named: Record<string, string[]> = Object.fromEntries(claims.said.map((column) => [column, []]));
  const names: string[] = [];
  for (const reference of claims.references) {
    const { column = '' } = reference;
    const name = settle(reference, 'secondaryLeaders');
    if (name === undefined) delete named[column];
    else {
      names.push(name);
      named[column]?.push(name);
    }
  }
  const isWhole = claims.isWhole && names.length === claims.references.length;
  const secondary = { names: [...new Set(names)].filter((name) => name !== leader), isWhole, named };
  return { wanted: { main, secondary }, waits, ...given({ trouble }) };
}

/** What the source wants of one person's leaders. */
export interface Wish {
  readonly slot: number;
  readonly person: Person;
  readonly wish: ResolvedWish;
  readonly entry: LedgerEntry | undefined;
  /** What the configuration before an edit wants. Absent: there is no edit, or the two cannot be compared. */
  readonly earlier?: WantedLeaders;
  /** The person leads themselves through others: the main leader stays. */
  readonly isInCircle?: true;
}

/** Returns the wish of a person in a circle. */
export function withoutMain({ wish, earlier, ...one }: Wish): Wish {
  const main = { says: 'keep' } as const;
  const before = earlier && { earlier: { ...earlier, main } };
  return { ...one, wish: { ...wish, wanted: { ...wish.wanted, main } }, ...before, isInCircle: true };
}

export interface WishesJob extends Pick<PlanWork, 'sync' | 'index' | 'edit'> {
  readonly slots: readonly number[];
  readonly isFull: boolean;
}

/** People whose record and ledger entry are read at once. */
export const peopleAtOnce = 500;

/** Yields the wish of each person, with the person's ledger entry. */
export async function* wishes(job: WishesJob, io: EngineIo): AsyncGenerator<Wish, void> {
  const { sync, index, isFull, edit } = job;
  for (const some of chunk(job.slots, peopleAtOnce)) {
    const people = some.flatMap((slot) => {
      const person = index.person(slot);
      if (person.kind !== 'person' || person.leaders === undefined) return [];
      const references = referencesIn(person);
      const earlier = edit && earlierLed(edit, { person, references });
      return [{ slot, person, earlier, references: [...references, ...(earlier ? referencesIn(earlier) : [])] }];
    });
    const names = people.flatMap(({ person, references }) => [
      person.identification,
      ...references.flatMap(({ by, value }) => (by === 'identification' ? [value] : [])),
    ]);
    const ledger = await io.store.ledger.getMany(sync.settings.connection, [...new Set(names)]);
    const resolve = (reference: LeaderReference) => resolveReference(reference, { index, isFull }, ledger);
    for (const { slot, person, earlier } of people) {
      const before = earlier && { earlier: resolveWish(earlier, resolve).wanted };
      yield { slot, person, wish: resolveWish(person, resolve), ...before, entry: ledger.get(person.identification) };
    }
    await nextTurn();
  }
}

function referencesIn({ leaders = {} }: Person): readonly LeaderReference[] {
  const { main, secondary } = leaders;
  return [...(main === undefined || main === 'none' ? [] : [main]), ...(secondary?.references ?? [])];
}
