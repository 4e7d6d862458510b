import type { EarlierPerson, Mapped, Person, RejectedPerson } from './person.ts';
import { countingRecord, whatItSays } from './prefer.ts';

type AnyPerson = Person | RejectedPerson;

/** One record under today's configuration, with what the earlier one makes of it. */
export interface MappedBoth {
  readonly mapped: Mapped;
  /** The other person whom the earlier configuration names by the record. */
  readonly elsewhere?: AnyPerson;
}

/** Marks a person with what the earlier configuration makes of the same record, where that is something else. */
export function withEarlier(mapped: Mapped, earlier: Mapped): MappedBoth {
  const named = earlier.kind === 'unreadable' ? undefined : earlier;
  const isNamed = mapped.kind !== 'unreadable' && named?.identification === mapped.identification;
  const elsewhere = named === undefined || isNamed ? {} : { elsewhere: named };
  if (mapped.kind !== 'person') return { mapped, ...elsewhere };
  return { mapped: markedWith(mapped, isNamed && named !== undefined ? named : 'nobody'), ...elsewhere };
}

/** Returns what the earlier configuration makes of two records that name one person. */
export function earlierOfBoth(one: EarlierPerson, other: EarlierPerson): EarlierPerson {
  if (one === 'nobody' || other === 'nobody') return one === 'nobody' ? other : one;
  const { identification, at } = one;
  const reason = 'two records contradict each other';
  return countingRecord([one, other]) ?? { kind: 'rejected', identification, at, column: 'prefer', reason };
}

/** Returns the person with what the earlier configuration makes of them; without it where that is the same. */
export function markedWith(person: Person, earlier: EarlierPerson): Person {
  const { earlier: _, ...plain } = person;
  const isSame = earlier !== 'nobody' && earlier.kind === 'person' && whatItSays(earlier) === whatItSays(plain);
  return isSame ? plain : { ...plain, earlier };
}

/** Returns what the earlier configuration makes of a person's record. */
export function earlierOf(person: AnyPerson): EarlierPerson {
  return person.kind === 'person' ? (person.earlier ?? person) : person;
}
