import { type Packed, pack, unpack } from '../../core/person/packed.ts';
import type { EarlierPerson, Person, RejectedPerson } from '../../core/person/person.ts';

/** A person whom the ledger knows, or the earlier configuration names, and this read does not. */
export interface Absent {
  readonly kind: 'absent';
  readonly identification: string;
  readonly earlier?: EarlierPerson;
}

/**
 * Serializes people for the spool and parses them again. Almost every record is a `Person`, and few are read again, so
 * write speed matters, and bytes: values have no names, and the reasons of a standing, which are few, are kept once.
 */
export function createPersonText(): {
  write(person: Person | RejectedPerson | Absent): string;
  read(text: string): Person | RejectedPerson | Absent;
} {
  const reasons: string[] = [];
  const places = new Map<string, number>();
  const placeOf = (reason: string): number => {
    const known = places.get(reason);
    if (known !== undefined) return known;
    places.set(reason, reasons.length);
    return reasons.push(reason) - 1;
  };
  return {
    write(person) {
      if (person.kind !== 'person') return JSON.stringify(person);
      const { at, identification, fields, standing, standingReason, isInScope } = person;
      const { rank, leaders, refusesCreate, refusesEnable, hiresLater, earlier } = person;
      const [unreadable, troubles, notes] = [some(person.unreadable), some(person.troubles), some(person.notes)];
      // JSON leaves out what is undefined: for most people, all of it.
      const more = { rank, leaders, refusesCreate, refusesEnable, hiresLater, earlier, unreadable, troubles, notes };
      const reason = placeOf(standingReason);
      return JSON.stringify([at, identification, standing, reason, isInScope, daysOf(person), pack(fields), more]);
    },
    read(text) {
      const value = JSON.parse(text) as Cells | RejectedPerson | Absent;
      if (!Array.isArray(value)) return value;
      const [at, identification, standing, reason, isInScope, days, fields, more] = value;
      const person = { kind: 'person', at, identification, fields: unpack(fields), standing, isInScope } as const;
      const plain = { ...person, standingReason: reasons[reason] ?? '', unreadable: [], troubles: [], notes: [] };
      return days === '' ? { ...plain, ...more } : { ...plain, ...parseDays(days), ...more };
    },
  };
}

function some<One>(list: readonly One[]): readonly One[] | undefined {
  return list.length === 0 ? undefined : list;
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

type Cells = [
  at: string,
  identification: string,
  standing: Person['standing'],
  /** The place of the reason. */
  reason: number,
  isInScope: boolean,
  /**
   * The last day of work, `''` for none, with `!` where only the date shows that the person left. Before it, `+` where
   * there is a first day of work.
   */
  days: string,
  fields: Packed,
  /** What few people have. */
  more: Partial<Person>,
];
