import { isNoDay } from '../../core/person/cell.ts';
import { keepDigits } from '../http/json-text.ts';

/** Converts the driver's value into the record's value. Undefined where no conversion is needed. */
export type ReadValue = (value: unknown) => unknown;

/** Returns a date or timestamp as written, with zone and time unchanged. A "no date" value is null. */
export function readDate(text: string): string | null {
  return isNoDay(text.slice(0, 10)) || text === 'infinity' || text === '-infinity' ? null : text;
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
