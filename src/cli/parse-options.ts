import { InvalidArgumentError } from 'commander';

/** Parses a whole number of 0 or more for an option. */
export function parseWholeNumber(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value)) throw new InvalidArgumentError('It must be a whole number.');
  return value;
}

/** Collects an option that may be repeated. */
export function gather(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}
