/**
 * Returns the item of `allowed` that `word` most likely means, for example `baseUrl` for `url`; undefined when none is
 * close.
 */
export function nearest(word: string, allowed: readonly string[]): string | undefined {
  const wanted = fold(word);
  const ranked = allowed
    .map((name) => ({ name, distance: distanceOf(wanted, fold(name)) }))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  // At most a third of the letters may differ: `polcy` matches policy, `foo` matches nothing.
  return best !== undefined &&
    best.distance < wanted.length &&
    best.distance <= Math.floor(Math.max(wanted.length, 3) / 3)
    ? best.name
    : onlyOne(allowed.filter((name) => endsAlike(wanted, fold(name))));
}

/** Returns the name of `known` that differs from `word` only by case, blanks, `-` and `_`. */
export function sameName(word: string, known: readonly string[]): string | undefined {
  return known.find((name) => fold(name) === fold(word));
}

/** Returns a sentence such as `is not a known key; did you mean cron? Known here: cron, timezone`. */
export function unknownKeySentence(key: string, known: readonly string[]): string {
  if (known.length === 0) return 'is not a known key';
  const guess = nearest(key, known);
  const hint = guess === undefined ? '; known' : `; did you mean ${guess}? Known`;
  return `is not a known key${hint} here: ${known.join(', ')}`;
}

function onlyOne(names: readonly string[]): string | undefined {
  return names.length === 1 ? names[0] : undefined;
}

/** Returns whether one name is the last word of the other: `url` and `baseUrl`. */
function endsAlike(a: string, b: string): boolean {
  return Math.min(a.length, b.length) >= 3 && (a.endsWith(b) || b.endsWith(a));
}

/** Folds a name, so that `a_b`, `a-b` and `aB` are equal. */
export function fold(name: string): string {
  return name.toLowerCase().replace(/[-_\s]/g, '');
}

/** Returns the Levenshtein distance, where swapped neighbors count as one step (optimal string alignment). */
export function distanceOf(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 8) return Number.POSITIVE_INFINITY;
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + cost);
      const isSwap = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap) best = Math.min(best, (before[j - 2] ?? 0) + 1);
      next.push(best);
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}

/** What is wrong with a value, as a schema tells it before it has a message. */
export interface RawIssue {
  readonly code?: string;
  readonly input?: unknown;
  readonly expected?: unknown;
  readonly values?: readonly unknown[];
  /** The words of a key that selects one of several forms. */
  readonly options?: readonly unknown[];
  readonly origin?: string;
  readonly minimum?: number | bigint;
  readonly maximum?: number | bigint;
  readonly inst?: unknown;
}

/** Gives schemas our messages. They continue the key path and never contain the value that was found. */
export function messageFor(issue: RawIssue): string {
  const absent = absenceSentence(issue.input);
  switch (issue.code) {
    case 'invalid_type':
      return absent ?? `must be ${typeNames[String(issue.expected)] ?? issue.expected}${quotesHint(issue)}`;
    case 'invalid_value':
      return absent ?? choiceSentence(issue.input, (issue.values ?? []).map(String));
    case 'unrecognized_keys':
      return knownKeys(issue).join(keySeparator);
    case 'too_small':
      return issue.origin === 'number' ? `must be at least ${issue.minimum}` : 'must not be empty';
    case 'too_big':
      return issue.origin === 'number'
        ? `must be at most ${issue.maximum}`
        : `must not be longer than ${issue.maximum}`;
    default:
      return (
        absent ?? (issue.options === undefined ? 'is not valid here' : choiceSentence('', issue.options.map(String)))
      );
  }
}

/** Returns an `error` for schemas with a message of their own: `must be a duration such as 5s`. */
export function must(sentence: string): (issue: RawIssue) => string {
  return (issue) => {
    if (issue.input === undefined) return `is required; it ${sentence}`;
    return absenceSentence(issue.input) ?? sentence;
  };
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

function quotesHint({ input, expected }: RawIssue): string {
  const isScalar = typeof input === 'number' || typeof input === 'boolean';
  return expected === 'string' && isScalar ? '; put it in quotes' : '';
}

/** The one message of `unrecognized_keys` carries the known keys. */
const keySeparator = ',';

function knownKeys({ inst }: RawIssue): readonly string[] {
  const definition = (inst as { _zod?: { def?: { shape?: object } } } | undefined)?._zod?.def;
  return Object.keys(definition?.shape ?? {});
}

/** What is wrong with a value, with its message. */
export interface Issue {
  readonly code?: string;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly keys?: readonly string[];
  readonly values?: readonly unknown[];
  /** The problems of a key that is not allowed. */
  readonly issues?: readonly Issue[];
  /** The problems of each form that the value could have. */
  readonly errors?: readonly (readonly Issue[])[];
}

export interface Problem {
  readonly path: readonly (string | number)[];
  readonly message: string;
  /** It is about the key itself, not about its value. */
  readonly isOfKey: boolean;
  /** The accepted keys or values, where they can be listed. */
  readonly allowed?: readonly string[];
}

/** Returns the problems that schemas with `messageFor` have found, each at its key. */
export function problemsOf(issues: readonly Issue[], base: Problem['path'] = []): readonly Problem[] {
  // A misspelled key causes a problem of a missing key, too.
  const misspelt = new Set(issues.filter(({ code }) => code === 'unrecognized_keys').map(({ path }) => path.join()));
  return issues
    .filter(({ code, path }) => code !== 'custom' || !misspelt.has(path.join()))
    .flatMap((issue) => {
      const { code, message, keys = [], values, errors = [] } = issue;
      const path = [...base, ...(issue.path as Problem['path'])];
      if (code === 'unrecognized_keys') {
        const allowed = message === '' ? [] : message.split(keySeparator);
        return keys.map((key) => {
          return { path: [...path, key], message: unknownKeySentence(key, allowed), isOfKey: true, allowed };
        });
      }
      if (code === 'invalid_key') return [{ path, message: issue.issues?.[0]?.message ?? message, isOfKey: true }];
      const meant = code === 'invalid_union' ? errors.find(isOfKind) : undefined;
      if (meant !== undefined) return problemsOf(meant, path);
      const allowed = code === 'invalid_value' ? { allowed: values?.map(String) ?? [] } : {};
      return [{ path, message, isOfKey: false, ...allowed }];
    });
}

/** Returns whether a value is of the form: its problems are about parts of it. */
function isOfKind(issues: readonly Issue[]): boolean {
  return issues.every(({ code, path }) => path.length > 0 || (code !== 'invalid_type' && code !== 'invalid_value'));
}
