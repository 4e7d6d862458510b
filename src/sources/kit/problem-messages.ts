import type { z } from 'zod';
import { unknownKeySentence } from '../../core/run/nearest.ts';
import type { SourceConfigRefusal } from '../../ports/source.ts';

/**
 * Returns the message for a wrong value. It continues the sentence that begins with the key, and never holds the
 * value.
 */
export function messageFor(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'unrecognized_keys') return knownKeys(issue).join(keySeparator);
  if (issue.input === undefined) return 'is required';
  switch (issue.code) {
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return issue.origin === 'number' ? `must be at least ${issue.minimum}` : 'must not be empty';
    case 'too_big':
      return issue.origin === 'number' ? `must be at most ${issue.maximum}` : 'is too long';
    case 'invalid_type':
      return `must be ${expected[issue.expected] ?? issue.expected}`;
    case 'invalid_union':
      return 'options' in issue && Array.isArray(issue.options)
        ? `must be one of ${issue.options.map(String).join(', ')}`
        : undefined;
    default:
      return undefined;
  }
}

const expected: Readonly<Record<string, string>> = {
  string: 'text; put it in quotes',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
  record: 'a mapping',
};

/** Lists the problems of a section, each at its key. For an unknown key the message names the known keys. */
export function problemsOf({ issues }: z.ZodError): SourceConfigRefusal['problems'] {
  return problemsBelow(issues, []);
}

type Step = string | number;

function problemsBelow(issues: readonly z.core.$ZodIssue[], base: readonly Step[]): SourceConfigRefusal['problems'] {
  return issues.flatMap((issue) => {
    const path = [...base, ...issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step))];
    // A value can have several forms. The one whose type fits was intended.
    const meant = issue.code === 'invalid_union' ? issue.errors.find(isOfType) : undefined;
    if (meant !== undefined) return problemsBelow(meant, path);
    if (issue.code !== 'unrecognized_keys') return [{ path, message: issue.message }];
    const known = keysIn(issue.message);
    return issue.keys.map((key) => ({ path: [...path, key], message: unknownKeySentence(key, known) }));
  });
}

function isOfType(branch: readonly z.core.$ZodIssue[]): boolean {
  return branch.every(({ code, path }) => code !== 'invalid_type' || path.length > 0);
}

/** `unrecognized_keys` has one message for many keys, so it carries the list of known keys. */
const keySeparator = ',';

function keysIn(list: string): readonly string[] {
  return list === '' ? [] : list.split(keySeparator);
}

function knownKeys(issue: z.core.$ZodRawIssue): readonly string[] {
  const definition = (issue.inst as { _zod?: { def?: { shape?: object } } } | undefined)?._zod?.def;
  return Object.keys(definition?.shape ?? {});
}
