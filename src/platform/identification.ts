import { PlatformError } from '../core/run/errors.ts';

/** C0 and C1 control characters and DEL, which no path and no log line may carry. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is the purpose.
const controlCharacter = /[\u0000-\u001f\u007f-\u009f]/u;

/**
 * Returns why a value cannot be in a path, or undefined when it can. `.` and `..` matter most: every URL parser
 * normalizes them away, so that `DELETE …/users/..` would address another resource (WHATWG URL, "double-dot path
 * segment").
 */
export function pathValueProblem(value: string): string | undefined {
  if (value.trim() === '') return 'is empty';
  if (value === '.' || value === '..') return 'is a dot segment, which a path normalizes away';
  if (controlCharacter.test(value)) return 'contains a control character';
  if (!value.isWellFormed()) return 'contains half of a surrogate pair, which no URL can carry';
  return undefined;
}

/**
 * Throws `IDENTIFICATION_INVALID` (a `PlatformError` with effect `none`) for a key that must never be sent: empty,
 * `.`, `..`, control characters, broken Unicode. `operation` is the path template of the call.
 */
export function checkIdentification(identification: string, operation = 'a call to the platform'): void {
  const problem = pathValueProblem(identification);
  if (problem === undefined) return;
  throw new PlatformError(
    `${operation} was not sent: the identification ${problem}. Correct the person's key in the source or the mapping.`,
    { code: 'IDENTIFICATION_INVALID', retry: 'never', effect: 'none', operation },
  );
}
