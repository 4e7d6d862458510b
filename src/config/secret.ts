import { inspect } from 'node:util';

/**
 * A value that must not be shown. Only `reveal()` returns it. Text, JSON and inspection return `[secret]`, so that a
 * configuration can be printed, logged or put in an error safely.
 */
export interface Secret {
  /** Returns the value. Never log it, store it unsealed, or put it in an error. */
  reveal(): string;
  toString(): string;
  toJSON(): string;
}

const mask = '[secret]';

/** Wraps a value so that it cannot be shown by accident. */
export function makeSecret(value: string): Secret {
  const hidden = { reveal: () => value, toString: () => mask, toJSON: () => mask, [inspect.custom]: () => mask };
  return Object.freeze(hidden);
}

/** Replaces every secret in `text` by `[secret]`. Values under three characters are not secrets and stay. */
export function maskSecrets(text: string, secrets: Iterable<string>): string {
  const longestFirst = [...secrets].filter((value) => value.length >= 3).sort((a, b) => b.length - a.length);
  return longestFirst.reduce((masked, value) => masked.replaceAll(value, mask), text);
}
