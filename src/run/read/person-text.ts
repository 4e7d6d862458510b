import type { FieldName } from '../../core/person/fields.ts';
import type { EarlierPerson, LeaderClaims, Person, RejectedPerson } from '../../core/person/person.ts';

/** A person whom the ledger knows, or the earlier configuration names, and this read does not. */
export interface Absent {
  readonly kind: 'absent';
  readonly identification: string;
  readonly earlier?: EarlierPerson;
}

/**
 * Serializes people for the spool and parses them again. Almost every record is a `Person`, and few are read again, so
 * write speed matters. A list of values in the order of `fields`, without names, takes half the time and half the bytes
 * of the object. `fields` are all fields that a person can have: those that the mapping names.
 */
export function createPersonText(fields: readonly FieldName[]): {
  write(person: Person | RejectedPerson | Absent): string;
  read(text: string): Person | RejectedPerson | Absent;
} {
  return {
    write(person) {
      if (person.kind !== 'person' || hasMore(person)) return JSON.stringify(person);
      const { at, identification, standing, standingReason, isInScope } = person;
      const cells: Cells = [at, identification, standing, standingReason, isInScope, daysOf(person)];
      for (const name of fields) cells.push(person.fields[name] ?? null);
      if (person.rank !== undefined || person.leaders !== undefined) cells.push(person.rank ?? null);
      if (person.leaders !== undefined) cells.push(person.leaders);
      return JSON.stringify(cells);
    },
    read(text) {
      const value = JSON.parse(text) as Cells | Person | RejectedPerson | Absent;
      if (!Array.isArray(value)) return value;
      const [at, identification, standing, standingReason, isInScope, days, ...values] = value;
      const given: Partial<Record<FieldName, string>> = {};
      for (const [i, name] of fields.entries()) {
        const cell = values[i];
        if (typeof cell === 'string') given[name] = cell;
      }
      const person = {
        kind: 'person',
        at,
        identification,
        fields: given,
        standing,
        standingReason,
        isInScope,
      } as const;
      const [rank, leaders] = values.slice(fields.length);
      const plain = { ...person, unreadable: [], troubles: [], notes: [] };
      const dated = days === '' ? plain : { ...plain, ...parseDays(days) };
      const ranked = typeof rank === 'string' ? { ...dated, rank } : dated;
      return typeof leaders === 'object' && leaders !== null ? { ...ranked, leaders } : ranked;
    },
  };
}

function daysOf({ leaves = '', leavesByDate, hires }: Person): string {
  return `${hires === undefined ? '' : '+'}${leavesByDate === true ? '!' : ''}${leaves}`;
}

function parseDays(text: string): Pick<Person, 'leaves' | 'leavesByDate' | 'hires'> {
  const leaves = text.replace(/^\+?!?/, '');
  return {
    ...(text.startsWith('+') ? { hires: '' } : {}),
    ...(text.includes('!') ? { leavesByDate: true } : {}),
    ...(leaves === '' ? {} : { leaves }),
  };
}

/**
 * Returns whether the person has more data than its cells. The few such rows, which have problems or differ by an edit,
 * are written as whole objects.
 */
function hasMore({ troubles, notes, refusesCreate, refusesEnable, hiresLater, earlier }: Person): boolean {
  const isRefused = refusesCreate !== undefined || refusesEnable !== undefined;
  return troubles.length + notes.length > 0 || isRefused || hiresLater === true || earlier !== undefined;
}

type Cells = [
  at: string,
  identification: string,
  standing: Person['standing'],
  standingReason: string,
  isInScope: boolean,
  /**
   * The last day of work, `''` for none, with `!` where only the date shows that the person left. Before it, `+` where
   * there is a first day of work.
   */
  days: string,
  /** Values of the fields, then the rank and the leaders, if there are any. */
  ...values: (string | null | LeaderClaims)[],
];
