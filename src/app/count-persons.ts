import type { Mapped, Person, RejectedPerson } from '../core/person/person.ts';
import { countingRecord } from '../core/person/prefer.ts';

/** People of a read who have several records. */
export interface SeveralRecords {
  /** Number of people of whom `scope` or `prefer` tells which record counts. */
  readonly decided: number;
  /** Number of people to whom nothing is done, because their records contradict each other. */
  readonly undecided: number;
  /** The first of them. */
  readonly undecidedNames: readonly string[];
}

const shownNames = 10;

/** Counts people with several records. Keeps of each record only what decides, which most records share. */
export function openPersonCount() {
  const known = new Map<string, Person | RejectedPerson>();
  const names = new Map<string, Person | RejectedPerson>();
  const several = new Map<string, (Person | RejectedPerson)[]>();
  return {
    count(person: Exclude<Mapped, { kind: 'unreadable' }>): void {
      const { identification } = person;
      const key =
        person.kind === 'person' ? `${person.isInScope} ${person.standing} ${person.rank ?? ''}` : person.kind;
      const record = known.get(key) ?? person;
      known.set(key, record);
      const first = names.get(identification);
      if (first === undefined) names.set(identification, record);
      else several.set(identification, [...(several.get(identification) ?? [first]), record]);
    },
    sums(): SeveralRecords {
      const undecided = [...several].flatMap(([name, records]) =>
        countingRecord(records) === undefined ? [name] : [],
      );
      return {
        decided: several.size - undecided.length,
        undecided: undecided.length,
        undecidedNames: undecided.slice(0, shownNames),
      };
    },
  };
}
