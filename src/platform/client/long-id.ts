import { type OperationId, operationOf } from '../table/operations.ts';
import type { LongId } from '../table/wire.ts';
import { refuseToSend } from './errors.ts';

/** JSON text that is written unchanged (ECMAScript proposal "JSON.parse source text access", in V8 since 11.4). */
export type RawJson = object;

/**
 * Returns the digits of a long id, for a path. Throws `PLATFORM_REFUSED` (effect `none`) for a value that is not a
 * whole number. Also throws for a number beyond 2^53, which has lost digits and would name another object. Such ids
 * are read and passed as text.
 */
export function idDigits(operation: OperationId, id: LongId): string {
  const digits = typeof id === 'number' && !Number.isSafeInteger(id) ? '' : String(id);
  if (/^-?\d{1,20}$/.test(digits)) return digits;
  const why =
    typeof id === 'number'
      ? 'the id is a number that has lost digits; give it as text, as it was read.'
      : 'the id is not a whole number.';
  throw refuseToSend(operationOf(operation), why);
}

/** Returns a long id as a JSON number with all its digits, for a body. Throws as `idDigits` does. */
export function idNumber(operation: OperationId, id: LongId): number | RawJson {
  const digits = idDigits(operation, id);
  const value = Number(digits);
  if (Number.isSafeInteger(value)) return value;
  return rawJson(digits);
}

function rawJson(digits: string): RawJson {
  const { rawJSON } = JSON as typeof JSON & { rawJSON(text: string): RawJson };
  return rawJSON(digits);
}

/** Parses JSON so that every integer is written again with all its digits. Throws `SyntaxError` for invalid JSON. */
export function parseExactly(text: string): unknown {
  return JSON.parse(text, (_key: string, value: unknown, context?: { readonly source?: string }) => {
    const isLossy = typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);
    return isLossy && context?.source !== undefined ? rawJson(context.source) : value;
  });
}
