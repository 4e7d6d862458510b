/** Turns what the driver gives into what a record holds; undefined where it is right as it is. */
export type ReadValue = (value: unknown) => unknown;

/** Dates that systems write for "never" and "no date". */
const noDates: ReadonlySet<string> = new Set(['0000-00-00', '0001-01-01', '1900-01-01', '4712-12-31', '9999-12-31']);

/** A date or a timestamp as it was written, zone and time untouched; one that means none is null. */
export function readDate(text: string): string | null {
  return noDates.has(text.slice(0, 10)) || text === 'infinity' || text === '-infinity' ? null : text;
}

/** `char(10)` comes filled up with blanks, which nobody wrote. */
export function readPadded(text: string): string {
  return text.endsWith(' ') ? text.replace(/ +$/, '') : text;
}

/** A JSON column, so that dots of a mapping reach inside; integers beyond 2^53 as text. Text that is no JSON stays text. */
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

/** Binary as hexadecimal digits: a UUID of 16 bytes can be a key. */
export function readBinary(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}
