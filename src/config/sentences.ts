import type { z } from 'zod';
import { nearest } from '../core/run/nearest.ts';

type RawIssue = z.core.$ZodRawIssue;

/** Gives zod our messages. They continue the key path and never contain the value that was found. */
export function messageFor(issue: RawIssue): string {
  const absent = absenceSentence(issue.input);
  switch (issue.code) {
    case 'invalid_type':
      return absent ?? `must be ${typeNames[String(issue.expected)] ?? issue.expected}${quotesHint(issue)}`;
    case 'invalid_value':
      return absent ?? choiceSentence(issue.input, (issue.values as readonly unknown[]).map(String));
    case 'unrecognized_keys':
      return knownKeys(issue).join(keySeparator);
    case 'too_small':
      return issue.origin === 'number' ? `must be at least ${issue.minimum}` : 'must not be empty';
    case 'too_big':
      return issue.origin === 'number'
        ? `must be at most ${issue.maximum}`
        : `must not be longer than ${issue.maximum}`;
    default:
      return absent ?? 'is not valid here';
  }
}

/** Returns an `error` for schemas with a message of their own: `must be a duration such as 5s`. */
export function must(sentence: string): (issue: RawIssue) => string {
  return (issue) => {
    if (issue.input === undefined) return `is required; it ${sentence}`;
    return absenceSentence(issue.input) ?? sentence;
  };
}

const keySeparator = ',';

/** Returns the known keys, which the one message of `unrecognized_keys` carries for many keys. */
export function knownKeysOf(message: string): readonly string[] {
  return message === '' ? [] : message.split(keySeparator);
}

/** Returns `must be one of a, b, c; did you mean a?` */
export function choiceSentence(found: unknown, allowed: readonly string[]): string {
  const guess = typeof found === 'string' ? nearest(found, allowed) : undefined;
  const list = allowed.length === 1 ? `must be ${allowed[0]}` : `must be one of ${allowed.join(', ')}`;
  return guess === undefined || allowed.length === 1 ? list : `${list}; did you mean ${guess}?`;
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'a mapping of keys and values',
  record: 'a mapping of keys and values',
  array: 'a list',
};

function absenceSentence(input: unknown): string | undefined {
  if (input === undefined) return 'is required';
  return input === null ? 'has no value; set one, or delete the key' : undefined;
}

function quotesHint(issue: RawIssue): string {
  const isScalar = typeof issue.input === 'number' || typeof issue.input === 'boolean';
  const isText = issue.code === 'invalid_type' && issue.expected === 'string';
  return isText && isScalar ? '; put it in quotes' : '';
}

function knownKeys(issue: RawIssue): readonly string[] {
  const definition = (issue.inst as { _zod?: { def?: { shape?: object } } } | undefined)?._zod?.def;
  return Object.keys(definition?.shape ?? {});
}
