import { countOf } from './count-of.ts';
import type { Finding } from './finding.ts';
import type { Person } from './person.ts';
import type { CellTrouble } from './refusal.ts';

/** Gathers what is wrong with the cells of a read: one finding per column and class, however many rows have it. */
export interface CellFindings {
  see(person: Person): void;
  /** In the order in which they came first. No finding holds a value. */
  all(): readonly Finding[];
}

/** Places that a finding names: enough to look one up, few enough for one line. */
const namedPlaces = 3;

interface Group {
  readonly trouble: CellTrouble | undefined;
  readonly column: string;
  readonly places: string[];
  count: number;
}

export function openCellFindings(): CellFindings {
  const groups = new Map<string, Group>();
  const add = (key: string, column: string, trouble: CellTrouble | undefined, at: string): void => {
    const group = groups.get(key) ?? { trouble, column, places: [], count: 0 };
    groups.set(key, group);
    group.count += 1;
    if (group.places.length < namedPlaces) group.places.push(at);
  };
  return {
    see({ at, isInScope, troubles, collapsed }) {
      // Nothing is done for a row outside the scope, so its cells do not matter.
      if (!isInScope) return;
      for (const trouble of troubles) {
        add(JSON.stringify([trouble.field, trouble.column, trouble.kind]), trouble.column, trouble, at);
      }
      for (const column of collapsed) add(JSON.stringify([column]), column, undefined, at);
    },
    all: () => [...groups.values()].map(findingOf),
  };
}

function findingOf({ trouble, column, places, count }: Group): Finding {
  const where = `${countOf(count, 'row')} (${places.join(', ')}${count > places.length ? ', …' : ''})`;
  if (trouble === undefined) {
    const message = `${column} has line breaks or tabs in ${where}: each became a space`;
    return { code: 'cell-collapsed', message };
  }
  const message = `${column} ${trouble.reason}, in ${where}: ${consequence(trouble)}`;
  return { code: 'cell-unreadable', message };
}

function consequence({ field }: CellTrouble): string {
  switch (field) {
    case 'hireDate':
    case 'leaveDate':
      return 'no account is created or enabled for them, and a status that says they left still counts';
    case 'timezone':
      return 'they are judged by the dates of all time zones';
    case 'firstName':
    case 'lastName':
    case 'email':
      return `${field} is kept as the platform has it, and no account is created for them`;
    default:
      return `${field} is kept as the platform has it`;
  }
}
