import { foldText } from '../person/text.ts';
import { onDemand } from '../run/on-demand.ts';
import data from './known-forms.json' with { type: 'json' };

/**
 * `known-forms.json`: how HR systems call the columns that Rollcall can use, in English, Spanish, Portuguese, German,
 * French, Dutch, Polish, Italian and Japanese, and in the technical names of SAP; the words of a status; how they write
 * dates. A name is only a hint: values that agree with the platform outrank it. `part`: a name that contains it is a
 * weaker hint. Only a word that says *left* in whatever company is among those of leavers.
 */

/** What a column can be. `fullName`: first and last name in one. `private…`: never what the platform should have. */
export type Meaning = keyof typeof data.columns;

const bareWord = (text: string): string =>
  foldText(text)
    .replaceAll('ł', 'l')
    .replace(/[^\p{L}\p{N}]+/gu, '');
const listOf = (text: string): readonly string[] => text.split(' ').map(bareWord);
/** Dots may reach inside a record, or be part of a name. */
const lastName = (path: string): string => bareWord(/\.([^.\s]+)$/.exec(path)?.[1] ?? path);

const known = onDemand({
  columns: () =>
    new Map(
      Object.entries(data.columns).map(([meaning, { whole, part = '' }]) => [
        meaning as Meaning,
        { whole: listOf(whole), part: listOf(part).filter((one) => one !== '') },
      ]),
    ),
  labels: () => new Set(Object.values(data.columns).flatMap(({ whole }) => listOf(whole))),
  meanings: () =>
    new Map(
      Object.entries(data.statuses).flatMap(([meaning, words]) =>
        listOf(words).map((word) => [word, meaning as keyof typeof data.statuses] as const),
      ),
    ),
});

/**
 * Returns nearly 2 for a known name of the meaning (less for those that are written last in the list), 1 for a name that
 * contains one, else 0.
 */
export function likeName(meaning: Meaning, path: string): number {
  const { whole = [], part = [] } = known.columns.get(meaning) ?? {};
  const called = [bareWord(path), lastName(path)];
  const place = whole.findIndex((name) => called.includes(name));
  if (place !== -1) return 2 - place / 1000;
  return part.some((one) => called.some((name) => name.includes(one))) ? 1 : 0;
}

/** Returns whether a cell is how HR systems label a column: `Employee ID`, `Vorname`. */
export function isColumnLabel(cell: string): boolean {
  return known.labels.has(bareWord(cell));
}

/** `STAT2` of SAP: 0 left, 1 inactive, 2 retired, 3 active. */
const sapStatuses: Readonly<Record<string, 'active' | 'leaver'>> = { '0': 'leaver', '2': 'leaver', '3': 'active' };

const negated = /^(?:in|no[nt]?|nicht|nie)(a[ck]?t.+)$/;

/** Returns whether the value is the word for active with a *not* before it: its people left, or are away. */
export function isInactive(value: string): boolean {
  return known.meanings.get(negated.exec(bareWord(value))?.[1] ?? '') === 'active';
}

const meaningOf = (word: string) => (isInactive(word) ? 'leaver' : known.meanings.get(word));

/**
 * Returns what the word says about the person; `other` for a kind of contract or of marriage, undefined for an unknown one.
 * `path`: the column that has it, which says what a yes means.
 */
export function statusMeaning(value: string, path: string): 'active' | 'leaver' | 'other' | undefined {
  if (/^stat2$/i.test(path)) return sapStatuses[value];
  const word = meaningOf(bareWord(value));
  if (word !== 'yes' && word !== 'no') return word;
  const asked = meaningOf(lastName(path).replace(/^(?:is|has|account|user|employee)+(?=\p{L})/u, ''));
  if (asked !== 'active' && asked !== 'leaver') return undefined;
  return (word === 'yes') === (asked === 'active') ? 'active' : 'leaver';
}
