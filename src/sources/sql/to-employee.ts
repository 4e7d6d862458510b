/** Converts the driver's value into the record's value. Undefined where no conversion is needed. */
export type ReadValue = (value: unknown) => unknown;

/** Dates that systems use for "never" and "no date". */
const noDates: ReadonlySet<string> = new Set(['0000-00-00', '0001-01-01', '1900-01-01', '4712-12-31', '9999-12-31']);

/** Returns a date or timestamp as written, with zone and time unchanged. A "no date" value is null. */
export function readDate(text: string): string | null {
  return noDates.has(text.slice(0, 10)) || text === 'infinity' || text === '-infinity' ? null : text;
}

/** `char(10)` is padded with blanks that are not part of the value. */
export function readPadded(text: string): string {
  return text.endsWith(' ') ? text.replace(/ +$/, '') : text;
}

/**
 * Decodes a JSON column, so that dots of a mapping reach inside. Integers beyond 2^53 are text. Invalid JSON stays
 * text.
 */
export function readJsonText(text: string): unknown {
  try {
    return JSON.parse(text, keepDigits);
  } catch {
    return text;
  }
}

/** A `JSON.parse` reviver with source text access (ECMAScript proposal, in V8 since 11.4). */
function keepDigits(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value) || context?.source === undefined) return value;
  return /^-?\d+$/.test(context.source) ? context.source : value;
}

/** Returns binary data in hexadecimal. A UUID of 16 bytes can be a key. */
export function readBinary(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}
