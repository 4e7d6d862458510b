/** Leading zeros of identifications. Spreadsheets remove them from every cell that looks like a number. */

/** Most zeros that are tried in front of an identification whose former width is not known. */
const mostZeros = 9;

/** Returns the width of a number that is filled up with zeros (`00123`: 5); undefined for any other text. */
export function paddedWidth(identification: string): number | undefined {
  return identification.charCodeAt(0) === zero && padded.test(identification) ? identification.length : undefined;
}

/**
 * Returns the identifications that differ from this one by leading zeros only: without any, and filled up to each of
 * the widths. Returns none for an identification that is no number. Without `widths`, every number of zeros up to nine.
 */
export function otherZeros(identification: string, widths?: ReadonlySet<number>): readonly string[] {
  if (!digits.test(identification)) return [];
  const bare = withoutZeros(identification);
  const all = widths ?? Array.from({ length: mostZeros }, (_, more) => bare.length + more + 1);
  const forms = new Set([bare, ...Array.from(all, (width) => bare.padStart(width, '0'))]);
  forms.delete(identification);
  return [...forms];
}

/** Returns whether two identifications are numbers that differ by leading zeros only. */
export function differByZeros(one: string, other: string): boolean {
  return one !== other && digits.test(one) && digits.test(other) && withoutZeros(one) === withoutZeros(other);
}

/** Advice for identifications whose leading zeros were lost. */
export const zerosAdvice = 'Spreadsheets remove leading zeros: export the column as text';

function withoutZeros(text: string): string {
  return text.replace(/^0+(?=\d)/, '');
}

const zero = 0x30;
const digits = /^\d+$/;
const padded = /^0\d+$/;
