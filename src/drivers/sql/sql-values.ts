import { noDates } from '../../core/person/plain-date.ts';
import { keepDigits } from '../http/json-text.ts';

/** Converts the driver's value into the record's value. Undefined where no conversion is needed. */
export type ReadValue = (value: unknown) => unknown;

/** `DateTime.MinValue` of .NET, which programs store for "no date". */
const firstDate = '0001-01-01';

/** Returns a date or timestamp as written, with zone and time unchanged. A "no date" value is null. */
export function readDate(text: string): string | null {
  const day = text.slice(0, 10);
  return noDates.has(day) || day === firstDate || text === 'infinity' || text === '-infinity' ? null : text;
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

/** Returns binary data in hexadecimal. A UUID of 16 bytes can be a key. */
export function readBinary(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}
