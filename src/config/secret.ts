import { inspect } from 'node:util';

/**
 * A value that must not be shown. Only `reveal()` gives it; text, JSON and inspection all give `[secret]`, so that a
 * configuration can be printed, logged or put in an error without care.
 */
export interface Secret {
  /** The value itself. Never log it, store it unsealed, or put it in an error. */
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

/** `text` with every secret in it replaced by `[secret]`. Values under three characters are left: they are no secrets. */
export function maskSecrets(text: string, secrets: Iterable<string>): string {
  const longestFirst = [...secrets].filter((value) => value.length >= 3).sort((a, b) => b.length - a.length);
  return longestFirst.reduce((masked, value) => masked.replaceAll(value, mask), text);
}
