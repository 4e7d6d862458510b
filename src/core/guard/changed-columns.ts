import { type FieldName, type FieldValues, fieldTraits } from '../person/fields.ts';
import { countOf } from '../run/formats.ts';

/**
 * Judges a column by the values that a plan changes. People change one by one; a program changes a column for many at
 * once: one value in the place of many, dates in the place of names, another spelling of every value.
 */
export interface ChangedColumns {
  see(before: FieldValues, after: FieldValues): void;
  /** Returns the fields whose updates are held. `people`: how many the read has. */
  doubts(facts: ChangedFacts): readonly { readonly field: FieldName; readonly reason: string }[];
}

export interface ChangedFacts {
  readonly people: number;
  /** The share of different values among the first people of the last accepted read. */
  readonly distinct: Readonly<Partial<Record<FieldName, number>>>;
  /** The column of a field, in messages and expressions. */
  readonly columnOf: (field: FieldName) => string;
}

interface Changed {
  count: number;
  dates: number;
  /** By the new value: how many people get it, and from which values. */
  readonly shared: Map<string, { count: number; readonly before: Set<string> }>;
  /** By what was done to the value: see `rewritingOf`. */
  readonly rewritten: Map<string, number>;
}

const mostKept = 2000;
const fewest = 2;
const share = 0.02;

function isMany(count: number, people: number): boolean {
  return count > fewest && count > share * people;
}

export function openChangedColumns(): ChangedColumns {
  const columns = new Map<FieldName, Changed>();
  return {
    see(before, after) {
      for (const [name, value] of Object.entries(after) as [FieldName, string][]) {
        const old = before[name];
        if (old === undefined || old === '' || value === '' || old === value) continue;
        const column = columns.get(name) ?? { count: 0, dates: 0, shared: new Map(), rewritten: new Map() };
        columns.set(name, column);
        column.count += 1;
        if (isDateText(value) && !isDateText(old)) column.dates += 1;
        const shared = column.shared.get(value) ?? { count: 0, before: new Set() };
        if (column.shared.size < mostKept) column.shared.set(value, shared);
        shared.count += 1;
        if (shared.before.size < mostKept) shared.before.add(old);
        const rewriting = rewritingOf(old, value);
        if (rewriting !== undefined && column.rewritten.size < mostKept) {
          column.rewritten.set(rewriting, (column.rewritten.get(rewriting) ?? 0) + 1);
        }
      }
    },
    doubts({ people, distinct, columnOf }) {
      return [...columns].flatMap(([field, column]) => {
        const reason =
          (fieldTraits(field).isDate ? undefined : datesIn(column)) ??
          sharedIn(column, people, distinct[field] ?? 0) ??
          rewrittenIn(column, people, columnOf(field));
        return reason === undefined ? [] : [{ field, reason: `${columnOf(field)} ${reason}` }];
      });
    },
  };
}

/** A date, or what a spreadsheet makes of a text that looks like one: `5-Mar`, `Mar-26`. */
const dateText =
  /^(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?:[T ].*)?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|\d{1,2}-\p{L}{3}\.?(?:-\d{2,4})?|\p{L}{3}\.?-\d{2})$/u;

function isDateText(text: string): boolean {
  return text.length < 26 && dateText.test(text);
}

function datesIn({ dates }: Changed): string | undefined {
  if (dates === 0) return undefined;
  return `became a date for ${countOf(dates, 'person', 'people')}. A spreadsheet may have converted the text. Export the column as text`;
}

const mostlyDistinct = 0.5;

/** One value is new for many people, of whom nearly each one had a value of their own. */
function sharedIn({ shared }: Changed, people: number, distinct: number): string | undefined {
  if (distinct < mostlyDistinct) return undefined;
  const found = [...shared.values()].find(({ count, before }) => isMany(count, people) && before.size >= count * 0.9);
  if (found === undefined) return undefined;
  return `now has the same value for ${countOf(found.count, 'person', 'people')}, who had different values before. Check whether the HR system hides it, or a template was not filled`;
}

/** Most values of the column became the same values in another spelling. */
function rewrittenIn({ count, rewritten }: Changed, people: number, column: string): string | undefined {
  const [how, times] = [...rewritten].reduce((most, one) => (one[1] > most[1] ? one : most), ['', 0]);
  if (!isMany(times, people) || times * 2 < count || times < people * 0.2) return undefined;
  const undo = undoOf(how, column);
  const advice = undo === undefined ? 'export it as before' : `undo it in the mapping: { expression: "${undo}" }`;
  return `is written differently for ${countOf(times, 'person', 'people')}: ${how}. If this is not intended, ${advice}`;
}

const signs = /[^\p{L}\p{N}]+/gu;

/** Returns what was done to a value that is otherwise the same, in words; undefined for another value. */
function rewritingOf(before: string, after: string): string | undefined {
  if (before.toLowerCase() === after.toLowerCase()) {
    return after === after.toUpperCase()
      ? 'in capitals'
      : after === after.toLowerCase()
        ? 'in small letters'
        : 'in other case';
  }
  const [old, now] = [before.replace(signs, ''), after.replace(signs, '')];
  if (old === now && old !== '')
    return before === old ? 'with signs' : after === now ? 'without signs' : 'with other signs';
  if (after.endsWith(before)) return `with "${after.slice(0, -before.length)}" before it`;
  if (after.startsWith(before)) return `with "${after.slice(before.length)}" behind it`;
  if (before.endsWith(after)) return `without "${before.slice(0, -after.length)}" before it`;
  return before.startsWith(after) ? `without "${before.slice(after.length)}" behind it` : undefined;
}

/** Returns the expression that gives the earlier spelling, where one does. */
function undoOf(how: string, column: string): string | undefined {
  const [, verb, text = '', side] = /^(with|without) "(.*)" (before|behind) it$/.exec(how) ?? [];
  if (verb === 'with') return `$substring${side === 'before' ? 'After' : 'Before'}(\`${column}\`, '${text}')`;
  if (verb === 'without') return side === 'before' ? `'${text}' & \`${column}\`` : `\`${column}\` & '${text}'`;
  return how === 'with signs' ? `$replace(\`${column}\`, /[^A-Za-z0-9]+/, '')` : undefined;
}
