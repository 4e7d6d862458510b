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
      const { leaves, leavesIn, leavesByDate, owner } = person;
      const rare = { hires: person.hires && '', leaves, leavesIn, leavesByDate, hiresLater, owner };
      // JSON leaves out what is undefined: for most people, nearly all of it.
      const more = { ...rare, rank, leaders, refusesCreate, refusesEnable, earlier, unreadable, troubles, notes };
      return JSON.stringify([at, identification, standing, placeOf(standingReason), isInScope, pack(fields), more]);
    },
    read(text) {
      const value = JSON.parse(text) as Cells | RejectedPerson | Absent;
      if (!Array.isArray(value)) return value;
      const [at, identification, standing, reason, isInScope, packed, more] = value;
      const fields = unpack(packed);
      const none = { unreadable: [], troubles: [], notes: [] };
      const standingReason = reasons[reason] ?? '';
      return { kind: 'person', at, identification, fields, standing, standingReason, isInScope, ...none, ...more };
    },
  };
}

function some<One>(list: readonly One[]): readonly One[] | undefined {
  return list.length === 0 ? undefined : list;
}

type Cells = [
  at: string,
  identification: string,
  standing: Person['standing'],
  /** The place of the reason. */
  reason: number,
  isInScope: boolean,
  fields: Packed,
  /** What few people have, but for the first day of work. */
  more: Partial<Person>,
];
