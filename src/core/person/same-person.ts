import { createHash } from 'node:crypto';
import { type FieldName, type FieldValues, fieldTraits } from './fields.ts';
import { compileTransforms, foldText } from './text.ts';

/** What tells people apart, as a record or an account shows it. An absent value is not known. */
export type WhoFields = Pick<FieldValues, 'firstName' | 'lastName' | 'email' | 'birthDate' | 'orgEntryDate'>;

/** What the last accepted read showed of an identification, or an account shows. */
export type LastSeen = ReturnType<typeof lastSeenOf>;

/** `unknown`: the names are in two scripts, and nothing else can be compared. */
export type Likeness = 'same name' | 'same' | 'another' | 'unknown';

/**
 * Compares a record with the account of its identification by names, and by e-mail, birth date and entry date:
 *
 *   names            | one of the three is equal | each that both have differs     | none is known of both
 *   -----------------+---------------------------+---------------------------------+----------------------
 *   equal            | same name                 | same name                       | same name
 *   a part in common | same                      | another                         | another
 *   different        | another                   | another                         | another
 *   in two scripts   | same                      | another                         | unknown
 *   not known        | same                      | another if they are two or more | same
 */
export function compareWithAccount(record: WhoFields, account: WhoFields): Likeness {
  const names = compareNames(nameOf(record), nameOf(account));
  if (names === 'equal') return 'same name';
  if (names === 'different') return 'another';
  const facts = factsOf(record, account);
  if (facts.includes(true)) return 'same';
  if (names === 'shared') return 'another';
  if (names === 'not known') return facts.length > 1 ? 'another' : 'same';
  return facts.length > 0 ? 'another' : 'unknown';
}

/** Compares a record with what the last accepted read showed of the identification: the name or the birth date decides. */
export function isAsLastSeen(
  record: WhoFields,
  { name, birthDate }: LastSeen,
): 'by name' | 'by birth date' | undefined {
  if (compareNames(nameOf(record), name) === 'equal') return 'by name';
  return isSet(birthDate) && record.birthDate === birthDate ? 'by birth date' : undefined;
}

export function lastSeenOf(fields: WhoFields) {
  const { birthDate } = fields;
  return { name: nameOf(fields), ...(birthDate === undefined ? {} : { birthDate }) };
}

/** Returns whether two have one name, and one of e-mail, birth date and entry date. */
export function looksLike(one: WhoFields, other: WhoFields): boolean {
  return compareNames(nameOf(one), nameOf(other)) === 'equal' && factsOf(one, other).includes(true);
}

/** Returns `Ana Ruiz, born 1990-01-02`. */
export function whoWords(fields: WhoFields): string {
  const name = nameOf(fields);
  return `${name === '' ? 'a person without a name' : name}${isSet(fields.birthDate) ? `, born ${fields.birthDate}` : ''}`;
}

/** Returns a text for a name, equal for each spelling of it that compares as equal part by part. Empty: no name. */
export function nameKey(fields: WhoFields): string {
  return [...partsOf(nameOf(fields))].sort().join(' ');
}

export function nameDigest(fields: WhoFields): string {
  return createHash('sha256').update(nameKey(fields)).digest('base64url').slice(0, 22);
}

/**
 * Returns what a person keeps under another identification: the first name (last names change), the date of birth and the
 * first day at work; without a date of birth, the whole name and the first day. Undefined where that is not known.
 */
export function likenessKey({ firstName, lastName, birthDate, orgEntryDate = '' }: WhoFields): string | undefined {
  const isBorn = isSet(birthDate);
  if (!isSet(firstName) || !(isBorn || (isSet(lastName) && orgEntryDate !== ''))) return undefined;
  return [nameKey({ firstName, lastName: isBorn ? '' : (lastName ?? '') }), birthDate, orgEntryDate].join('\n');
}

/** A column with fewer values tells no people apart. */
const fewestValues = 5;

/**
 * Returns what tells people apart, `name` or another field: what has another value for most of the people. A column with
 * few values proves nothing.
 */
export function tellingFields(people: readonly FieldValues[]): ReadonlySet<string> {
  const all = people.map((fields) => Object.entries({ ...fields, firstName: '', lastName: '', name: nameKey(fields) }));
  const values = Map.groupBy(all.flat(), ([name]) => name);
  const isTelling = (given: readonly string[]): boolean => {
    const { size } = new Set(given);
    return size >= fewestValues && size * 2 > given.length;
  };
  return new Set(
    [...values.keys()].filter((name) => isTelling((values.get(name) ?? []).map(([, value]) => value).filter(isSet))),
  );
}

/**
 * Returns whether a record and an account have one name, and are equal in all that the platform shows or in two more
 * fields that tell.
 */
export function isEqualPerson(record: FieldValues, shown: FieldValues, telling: ReadonlySet<string>): boolean {
  if (nameKey(record) === '' || nameKey(record) !== nameKey(shown)) return false;
  const isShown = (field: FieldName): boolean => isSet(record[field]) && fieldTraits(field).isReadable;
  const said = (Object.keys(record) as FieldName[]).filter((field) => isShown(field) && !isName(field));
  const equal = said.filter((field) => record[field]?.toLowerCase() === shown[field]?.toLowerCase());
  const told = equal.filter((field) => telling.has(field)).length;
  return told > 1 || (equal.length === said.length && (told > 0 || telling.has('name')));
}

/** Compares e-mails (without case), birth dates and entry dates: one answer for each that both have. */
function factsOf(one: WhoFields, other: WhoFields): readonly boolean[] {
  return (['email', 'birthDate', 'orgEntryDate'] as const).flatMap((field) => {
    const [a, b] = [one[field], other[field]];
    return isSet(a) && isSet(b) ? [a.toLowerCase() === b.toLowerCase()] : [];
  });
}

type NameLikeness = 'equal' | 'shared' | 'different' | 'in two scripts' | 'not known';

/** Compares names as sets of parts, in any order: a subset is equal, and an initial stands for a part that begins so. */
function compareNames(one: string, other: string): NameLikeness {
  if (one === '' || other === '') return 'not known';
  if (one === other) return 'equal';
  const script = scripts.find((pattern) => pattern.test(one) && pattern.test(other));
  if (script === undefined) return 'in two scripts';
  const [a, b] = [partsOf(one, script), partsOf(other, script)];
  const [fewer, more] = a.size <= b.size ? [a, b] : [b, a];
  const isShared = [...fewer].some((part) => !initial.test(part) && more.has(part));
  const isIn = (part: string): boolean => [...more].some((whole) => isSamePart(part, whole));
  if (isShared && [...fewer].every(isIn)) return 'equal';
  if (foldPart(one.replace(notLetters, '')) === foldPart(other.replace(notLetters, ''))) return 'equal';
  return isShared ? 'shared' : 'different';
}

function isSamePart(one: string, other: string): boolean {
  return one === other || ((initial.test(one) || initial.test(other)) && one[0] === other[0]);
}

/** Returns the parts of a name, but for those that many names have, where others are left. */
function partsOf(name: string, script = anyLetter): ReadonlySet<string> {
  const parts = name.replaceAll(apostrophes, '').split(notLetters);
  const all = parts.filter((part) => script.test(part)).map(foldPart);
  const own = all.filter((part) => !particles.has(part));
  return new Set(own.length === 0 ? all : own);
}

/** `Müller`, `Mueller` and `Muller` are one name. */
function foldPart(part: string): string {
  if (!latin.test(part)) return foldText(part);
  return asciiOf(part)
    .toLowerCase()
    .replace(/([aou])e/g, '$1');
}

const asciiOf = compileTransforms(['ascii']) ?? ((text: string) => text);
const apostrophes = /['’‘ʼʻ`´]/g;
const notLetters = /[^\p{L}\p{M}\p{N}]+/gu;
const particles: ReadonlySet<string> = new Set(
  'al bin bint da de dei del della den der di do dos du el ibn la las le los ten ter van von y zu'.split(' '),
);

const initial = /^\p{LC}$/u;
const anyLetter = /[\p{L}\p{N}]/u;
const latin = /\p{Script=Latin}/u;
const scriptNames =
  'Latin Cyrillic Greek Han Hiragana Katakana Hangul Arabic Hebrew Thai Devanagari Armenian Georgian'.split(' ');
const classOf = (name: string): string => `\\p{Script=${name}}`;
/** The last one is for the letters of all other scripts. */
const scripts = [...scriptNames.map(classOf), `[^\\P{L}${scriptNames.map(classOf).join('')}]`].map(
  (pattern) => new RegExp(pattern, 'u'),
);

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== '';
}

function isName(field: FieldName): boolean {
  return field === 'firstName' || field === 'lastName';
}

function nameOf({ firstName = '', lastName = '' }: WhoFields): string {
  return `${firstName} ${lastName}`.trim();
}
