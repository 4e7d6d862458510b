import type { FieldName } from '../core/person/fields.ts';
import { type RollcallError, usageError } from '../core/run/errors.ts';
import { monthLanguages } from '../core/run/settings.ts';

interface Quirk<Value> {
  /** The default. */
  readonly value: Value;
  /** The words that it can be. Absent: any text, number or list of its kind. */
  readonly words?: readonly string[];
}

const usual = <Value>(value: Value): Quirk<Value> => ({ value });
const oneOf = <const Words extends readonly [string, ...string[]]>(...words: Words): Quirk<Words[number]> => {
  return { value: words[0], words };
};

/**
 * The platform's behavior where the contract is silent. The defaults equal the product's own assumptions, so that a
 * sandbox without quirks matches a connection without dialect. A status that the contract does not list for an operation
 * is never a default.
 */
const quirks = {
  /** Where GET users expects its parameters; the other place is ignored. */
  parameters: oneOf('query', 'body'),
  /** A larger page size is reduced to this silently. */
  maxPageSize: usual<number>(1000),
  missingUser: usual<400 | 404 | 500>(400),
  /** Unit of `expires_in`. */
  expiresIn: oneOf('seconds', 'ms'),
  /** No two users may have the same e-mail: a write that would make it so is refused, and a row of it is bad. */
  uniqueEmail: usual<boolean>(false),
  /** What an empty CSV cell does to an existing value. */
  emptyCell: oneOf('clears', 'keeps'),
  /** What PUT does to the fields that its payload omits. */
  put: oneOf('merges', 'replaces'),
  /** The `userId` of an update, and of the answer to create. */
  userId: oneOf('id', 'uid', 'identification'),
  /** What adding a main leader does where the user has another one. */
  mainLeader: oneOf('refuses', 'replaces'),
  /** The row command that enables a disabled user. */
  enableBy: oneOf('U', 'I'),
  /** Request encodings of the upload; the others get 400. */
  uploadEncodings: usual<readonly UploadEncoding[]>(['multipart', 'json', 'json-base64']),
  /** An upload while a file is processing: refused with this status, or queued behind it. */
  busyUpload: oneOf('400', '409', '423', 'queue'),
  /** Presenting a used refresh token revokes every token that came from it. */
  strictReuse: usual<boolean>(false),
  /** A file with bad rows: fails without effect, applies the good rows and reports failure, or applies them and reports success. */
  fileFailure: oneOf('none-applied', 'good-applied', 'says-done'),
  /** Language of the users, in which reads and searches show the names of months. */
  monthNames: oneOf(...monthLanguages),
  /**
   * What reads and searches show instead of a member: `E000007.identification:null`, `E000008.enabled:yes`. `null` is JSON's.
   */
  damages: usual<Readonly<Record<string, string>>>({}),
  /** A date field that reads and searches never show. */
  hideDateField: oneOf('', 'orgEntryDate', 'birthDate'),
  /** How a new user's identification is kept. */
  identifications: oneOf('kept', 'lowercase'),
  /** 0 keeps text as sent. n > 0 trims blanks at both ends and cuts text to n characters. */
  trims: usual<number>(0),
  /** Fields whose writes are accepted and discarded. */
  ignoresField: usual<readonly FieldName[]>([]),
  /** `always`: every accepted write advances `lastUpdate`; `changes`: only one that changes a value. */
  touch: oneOf('always', 'changes'),
  refreshTokenLifeMs: usual<number>(2_592_000_000),
  /** File status of success and of failure. */
  doneStatus: usual<string>('Processed'),
  failedStatus: usual<string>('Failed'),
  /** The token that the role endpoints require. */
  rolesToken: oneOf('any', 'access', 'application'),
  csvDelimiter: usual<string>(','),
  /** Format of dates in CSV cells. */
  csvDateFormat: oneOf('yyyy-MM-dd', 'dd/MM/yyyy', 'MM/dd/yyyy'),
  /** Field mapping for `preprocessing=true`: column of the file to column of the platform. Empty: not configured. */
  fieldMapping: usual<Readonly<Record<string, string>>>({}),
  /** Valid values of `declineReasonId`. */
  declineReasons: usual<readonly number[]>([1, 2, 3]),
} as const;

export type SandboxQuirks = { readonly [Name in keyof typeof quirks]: (typeof quirks)[Name]['value'] };

export type UploadEncoding = 'multipart' | 'json' | 'json-base64';

export const defaultQuirks = Object.fromEntries(
  Object.entries(quirks).map(([name, quirk]) => [name, quirk.value]),
) as SandboxQuirks;

type QuirkValue = SandboxQuirks[keyof SandboxQuirks];

/** Lists every quirk with its default, as text that `parseQuirk` reads. */
export function listQuirks(): readonly { readonly name: string; readonly value: string }[] {
  return Object.entries(defaultQuirks).map(([name, value]) => ({ name, value: quirkText(value) }));
}

function quirkText(value: QuirkValue): string {
  if (Array.isArray(value)) return value.join(',');
  if (typeof value !== 'object') return String(value);
  return Object.entries(value)
    .map((pair) => pair.join(':'))
    .join(',');
}

/** Reads `name=value`. The default of the quirk decides the type of the value. Throws `USAGE`. */
export function parseQuirk(text: string): [string, unknown] {
  const [name = '', ...rest] = text.split('=');
  if (!Object.hasOwn(defaultQuirks, name) || rest.length === 0) {
    const known = Object.keys(defaultQuirks).join(', ');
    throw refusal(text, `it must be name=value, with a name of: ${known}`);
  }
  const quirk: Quirk<QuirkValue> = quirks[name as keyof SandboxQuirks];
  const given = rest.join('=');
  const allowed = quirk.words;
  if (allowed?.includes(given) === false) throw refusal(text, `its value must be one of: ${allowed.join(', ')}`);
  return [name, readValue(text, given, quirk.value)];
}

function readValue(text: string, value: string, like: QuirkValue): unknown {
  const check = (isFit: boolean, what: string): void => {
    if (!isFit) throw refusal(text, `its value must be ${what}`);
  };
  const isNumber = (part: string): boolean => /^\d+$/.test(part);
  const parts = value === '' ? [] : value.split(',');
  if (typeof like === 'boolean') {
    check(value === 'true' || value === 'false', 'true or false');
    return value === 'true';
  }
  if (typeof like === 'number') {
    check(isNumber(value), 'a whole number');
    return Number(value);
  }
  if (Array.isArray(like)) {
    if (like.every((part) => typeof part === 'string')) return parts;
    check(parts.every(isNumber), 'whole numbers, separated by commas');
    return parts.map(Number);
  }
  if (typeof like !== 'object') return value;
  const pairs = parts.map((pair) => pair.split(':'));
  check(
    pairs.every(({ length }) => length === 2),
    'pairs a:b, separated by commas',
  );
  return Object.fromEntries(pairs);
}

function refusal(text: string, why: string): RollcallError {
  return usageError(`the quirk "${text}" cannot be used: ${why}`);
}
