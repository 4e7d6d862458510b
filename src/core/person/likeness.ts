import { type FieldName, type FieldValues, fieldTraits } from './fields.ts';
import { foldText } from './text.ts';

/**
 * Returns whether two people with one e-mail appear to be the same person: the same birth date, or the same name. For
 * example, a contractor who becomes an employee leaves under one identification and starts under another. Names compare
 * without case and accents.
 */
export function looksLikeSamePerson(a: FieldValues, b: FieldValues): boolean {
  if (isSet(a.birthDate) && a.birthDate === b.birthDate) return true;
  const name = nameOf(a);
  return name !== '' && name === nameOf(b);
}

/**
 * Returns what a person keeps under another identification: the first name (last names change), the date of birth and the
 * first day at work; without a date of birth, the whole name and the first day. Undefined where that is not known.
 */
export function likenessKey(fields: FieldValues): string | undefined {
  const { firstName, birthDate, orgEntryDate = '' } = fields;
  if (isSet(firstName) && isSet(birthDate)) return [foldText(firstName), birthDate, orgEntryDate].join('\n');
  const name = nameOf(fields);
  return name === '' || orgEntryDate === '' ? undefined : [name, orgEntryDate].join('\n');
}

/** A column with fewer values tells no people apart. */
const fewestValues = 5;

/**
 * Returns what tells people apart, `name` or another field: what has another value for most of the people. A column with
 * few values proves nothing.
 */
export function tellingFields(people: readonly FieldValues[]): ReadonlySet<string> {
  const all = people.map((fields) => {
    const { firstName: _, lastName: __, ...rest } = fields;
    return { ...rest, name: nameOf(fields) };
  });
  const names = new Set(all.flatMap((fields) => Object.keys(fields)) as (keyof (typeof all)[number])[]);
  const isTelling = (values: readonly string[]): boolean => {
    const { size } = new Set(values);
    return size >= fewestValues && size * 2 > values.length;
  };
  return new Set([...names].filter((name) => isTelling(all.map((fields) => fields[name]).filter(isSet))));
}

/**
 * Returns whether a record and an account have one name, and are equal in all that the platform shows or in two more
 * fields that tell.
 */
export function isEqualPerson(record: FieldValues, shown: FieldValues, telling: ReadonlySet<string>): boolean {
  const name = nameOf(record);
  if (name === '' || name !== nameOf(shown)) return false;
  const isShown = (field: FieldName): boolean => isSet(record[field]) && fieldTraits(field).isReadable;
  const said = (Object.keys(record) as FieldName[]).filter(isShown);
  const equal = said.filter((field) => record[field]?.toLowerCase() === shown[field]?.toLowerCase());
  const told = equal.filter((field) => telling.has(field)).length;
  return told > 1 || (equal.length === said.length && (told > 0 || telling.has('name')));
}

/** The whole name without case and accents; undefined unless both names are known. */
export function nameKey(fields: FieldValues): string | undefined {
  return nameOf(fields) || undefined;
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== '';
}

/** Returns the full name. Empty unless both names are known. */
function nameOf({ firstName, lastName }: FieldValues): string {
  if (!isSet(firstName) || !isSet(lastName)) return '';
  return foldText(`${firstName} ${lastName}`);
}
