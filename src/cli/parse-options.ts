import { InvalidArgumentError } from 'commander';

/** Parses a whole number of 0 or more for an option. */
export function parseWholeNumber(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value)) throw new InvalidArgumentError('It must be a whole number.');
  return value;
}

/** Parses a port for an option; 0 means any free port. */
export function parsePort(text: string): number {
  const port = parseWholeNumber(text);
  if (port > 65_535) throw new InvalidArgumentError('It must be a port from 0 to 65535.');
  return port;
}

/** Parses a whole number of 1 or more for an option. */
export function parsePositive(text: string): number {
  const value = parseWholeNumber(text);
  if (value === 0) throw new InvalidArgumentError('It must be at least 1.');
  return value;
}

/** Collects an option that may be repeated. */
export function gather(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}
