import type { FieldValues } from '../person/fields.ts';

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

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== '';
}

/** Returns the full name. Empty unless both names are known. */
function nameOf({ firstName, lastName }: FieldValues): string {
  if (!isSet(firstName) || !isSet(lastName)) return '';
  return `${firstName} ${lastName}`.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}
