import type { UnreadableColumn } from '../guard/columns.ts';
import type { User } from '../person/fields.ts';
import type { Person } from '../person/person.ts';
import type codes from './codes/codes.json';
import { countOf, literal } from './formats.ts';
import type { CellNote, CellTrouble, CellUse } from './refusal.ts';

/**
 * Expected problems are data: a finding has what happened, the person, the reason and the action. It holds no field
 * values.
 */
export interface Finding {
  readonly code: FindingCode;
  /** Absent when the finding is about the run, not a person. */
  readonly identification?: string;
  /** Location in the source: `line 12`. */
  readonly at?: string;
  /**
   * The other identification in a conflict about an identification or e-mail. Used during planning only; not stored.
   */
  readonly other?: string;
  /** Where the other records of such a conflict are: `E7 (line 9)`. Not stored. */
  readonly others?: readonly string[];
  /** The account that the person's record seems to be about, in a rename or conversion. Not stored. */
  readonly account?: User;
  /** A complete sentence for display. */
  readonly message: string;
  /** The people who share a cause that this finding tells of. Their own findings follow, and are counted instead of it. */
  readonly people?: number;
}

/**
 * Returns the sentence of a finding without its people, places and commands, so that findings of one cause have equal
 * sentences.
 */
export function causeOf({ message, identification, other, at }: Finding): string {
  let text = message.replace(/"rollcall [^"]*"/g, '"rollcall …"');
  const names = [at, other, identification].filter((name) => name !== undefined);
  // E1 is no part of E10.
  for (const name of names) text = text.replace(new RegExp(`(?<!\\w)${literal(name)}(?!\\w)`, 'g'), '…');
  return text
    .replace(/\b(?:line|page|item|row) \d+/g, '…')
    .replace(/^… ?[:,] ?|^… \(…\) (?!and )|^… (?=has no )/, '')
    .replaceAll(' (…)', '');
}

/** Names of fields and columns in a sentence: its subject, and what differs with it. */
const subject = /^[\w.]+(?:(?:, | and )[\w.]+)*/;
const ofSubject = /`[^`]*`|mapping\.\w+|(?<=because )\S+(?= is )|\w+(?= keeps its value)|(?<= read)s?\b/g;
const namedSubjects = 5;

/** Makes one of those that say the same of several columns: the first, which names the others. */
export function mergeAlike<One extends { readonly code?: string; readonly message: string }>(
  all: readonly One[],
): readonly One[] {
  const keyOf = ({ code, message }: One) => `${code} ${message.replace(subject, '').replace(ofSubject, '')}`;
  return [...Map.groupBy(all, keyOf).values()].map((alike) => {
    const [first] = alike as [One];
    const names = new Set(alike.map(({ message }) => subject.exec(message)?.[0] ?? ''));
    names.delete(subject.exec(first.message)?.[0] ?? '');
    if (names.size === 0) return first;
    const more = names.size > namedSubjects ? ` and ${names.size - namedSubjects} more` : '';
    return {
      ...first,
      message: `${first.message} (the same for ${[...names].slice(0, namedSubjects).join(', ')}${more})`,
    };
  });
}

/** Returns whether a finding has the cause that another one tells once for all. People are unnamed in its sentence: `…`. */
export function openShared(shared: Finding): (finding: Finding) => boolean {
  const sentence = shared.message.replace(/^\d+ \w+: /, '').replace(/ \([^()]*\)$/, '');
  const cause = new RegExp(`^${sentence.split('…').map(literal).join('.*')}$`, 's');
  return (finding) =>
    finding.code === shared.code &&
    (finding.identification ?? finding.at) !== undefined &&
    cause.test(causeOf(finding));
}

/** Returns whether two records, or two accounts, claim one person. Only a full read can resolve such a conflict. */
export function isAboutIdentity({ code }: Finding): boolean {
  return identityCodes.includes(code);
}

/** Returns whether the finding says why nothing is decided about a person whom records or accounts leave unclear. */
export function tellsConflict(finding: Finding): boolean {
  const isUnclear = finding.code === 'account-unreadable' || finding.code === 'lookup-disagrees';
  return isUnclear || isAboutIdentity(finding);
}

const identityCodes: readonly FindingCode[] = [
  'duplicate-key',
  'case-conflict',
  'email-conflict',
  'email-cycle',
  'rename-conflict',
  'conversion',
  'left-as-decided',
];

export type FindingCode = keyof typeof codes.finding;

/** Number of places that a finding names: enough to locate an example, few enough for one line. */
const namedPlaces = 3;

interface Group {
  readonly column: string;
  /** Why the cells cannot be used, or the note about cells that are used. */
  readonly found: string | CellNote;
  readonly isUsed: boolean;
  readonly kind: string;
  readonly consequences: Set<string>;
  readonly fields: Set<CellUse>;
  readonly places: string[];
  count: number;
  last: Person | undefined;
}

/** Collects cell problems of a read: one finding per column and problem class, regardless of the number of rows. */
export function openCellFindings() {
  const groups = new Map<string, Group>();
  const add = (person: Person, column: string, found: CellTrouble | CellNote): void => {
    const kind = typeof found === 'string' ? found : found.kind;
    const key = `${kind} ${column}`;
    const group = groups.get(key) ?? openGroup(column, found);
    groups.set(key, group);
    if (typeof found !== 'string') {
      group.consequences.add(consequence(found));
      group.fields.add(found.field);
    }
    // Two fields can read the same cell.
    if (group.last === person) return;
    group.last = person;
    group.count += 1;
    if (group.places.length < namedPlaces) group.places.push(person.at);
  };
  return {
    see(person: Person) {
      // A row outside the scope causes no change, so its cells are not reported.
      if (!person.isInScope) return;
      for (const trouble of person.troubles) add(person, trouble.column, trouble);
      for (const { column, note } of person.notes) add(person, column, note);
    },
    /** Returns the findings in order of first occurrence. No finding holds a value. */
    all: () => [...groups.values()].map(findingOf),
    /** Returns the cells of each use that have a text which cannot be read, and the most frequent cause. */
    unreadable() {
      const found = new Map<CellUse, UnreadableColumn>();
      for (const { column, found: reason, isUsed, fields, count, kind } of groups.values()) {
        if (isUsed || kind === 'blank' || kind === 'not-visible' || kind === 'no-value') continue;
        for (const field of fields) {
          const before = found.get(field);
          const cause = before?.cause ?? `${column} ${reason}`;
          const misread = (before?.misread ?? 0) + (kind === 'wrong-encoding' ? count : 0);
          found.set(field, { count: (before?.count ?? 0) + count, cause, misread });
        }
      }
      return Object.fromEntries(found);
    },
    /** Returns the most frequent cause of unreadable cells of a field, without a value: `hire_date is not a date in …`. */
    worst(field: CellUse) {
      const [group] = [...groups.values()].filter(({ fields }) => fields.has(field)).sort((a, b) => b.count - a.count);
      return group && { cause: `${group.column} ${group.found}`, count: group.count };
    },
  };
}

function openGroup(column: string, found: CellTrouble | CellNote): Group {
  const isUsed = typeof found === 'string';
  const kind = isUsed ? found : found.kind;
  return {
    column,
    found: isUsed ? found : found.reason,
    isUsed,
    kind,
    consequences: new Set(),
    fields: new Set(),
    places: [],
    count: 0,
    last: undefined,
  };
}

function findingOf({ column, found, isUsed, consequences, places, count }: Group): Finding {
  const where = `${countOf(count, 'row')} (${places.join(', ')}${count > places.length ? ', …' : ''})`;
  if (isUsed) return noteFindings[found as CellNote](column, where);
  return { code: 'cell-unreadable', message: `${column} ${found}, in ${where}: ${[...consequences].join('; ')}` };
}

const noteFindings: Readonly<Record<CellNote, (column: string, where: string) => Finding>> = {
  collapsed: (column, where) => {
    return { code: 'cell-collapsed', message: `${column} has line breaks or tabs in ${where}: each became a space` };
  },
  guarded: (column, where) => {
    const message = `${column} has the mark of an exporter (an apostrophe, or ="…") in ${where}: the value was read without it`;
    return { code: 'cell-collapsed', message };
  },
  invisible: (column, where) => {
    const message = `${column} has invisible characters in ${where}: the value was read without them`;
    return { code: 'cell-collapsed', message };
  },
  word: (column, where) => {
    const message = `${column} has a word such as NULL or None in ${where}: it is used as text. If it means no value, list it in nulls`;
    return { code: 'cell-suspect', message };
  },
};

function consequence({ field, kind }: CellTrouble): string {
  if (kind === 'status-and-date') return 'these accounts stay until then. Correct it, or set lifecycle.leavesBy';
  if (kind === 'far-date' && field === 'leaveDate') return 'these accounts stay, and none is created or enabled';
  switch (field) {
    case 'hireDate':
    case 'leaveDate':
      return 'no account is created or enabled for these people';
    case 'timezone':
      return 'their dates are compared in all time zones';
    case 'firstName':
    case 'lastName':
    case 'email':
      return `${field} keeps its value on the platform, and no account is created for these people`;
    default:
      return `${field} keeps its value on the platform`;
  }
}
