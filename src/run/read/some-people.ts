import type { Reading } from './choose-read.ts';
import type { PeopleIndex } from './people-index.ts';

/** The people of a run. A delta may name all people, so their names are created only when they are few. */
export interface SomePeople {
  readonly count: number;
  names(): readonly string[];
}

export function named(names: readonly string[]): SomePeople {
  return { count: names.length, names: () => names };
}

/** Returns the people of a run; undefined for all people. */
export function peopleOf(reading: Reading, index: PeopleIndex): SomePeople | undefined {
  switch (reading.kind) {
    case 'full':
      return undefined;
    case 'point':
      return named(reading.identifications);
    case 'delta': {
      const names = () => Array.from({ length: index.size }, (_, slot) => index.person(slot).identification);
      return { count: index.size, names };
    }
  }
}
