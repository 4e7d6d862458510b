import type { FieldValues } from './fields.ts';
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

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== '';
}

/** Returns the full name. Empty unless both names are known. */
function nameOf({ firstName, lastName }: FieldValues): string {
  if (!isSet(firstName) || !isSet(lastName)) return '';
  return foldText(`${firstName} ${lastName}`);
}
