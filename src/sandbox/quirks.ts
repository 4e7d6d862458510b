import type { FieldName } from '../core/person/fields.ts';
import { type RollcallError, usageError } from '../core/run/errors.ts';
import type { MonthLanguage } from '../core/run/settings.ts';

/**
 * The platform's behavior where the contract is silent. The defaults equal the product's own assumptions, so that a
 * sandbox without quirks matches a connection without dialect. A status that the contract does not list for an operation
 * is never a default.
 */
export interface SandboxQuirks {
  /** Where GET users expects its parameters; the other place is ignored. */
  readonly parameters: 'query' | 'body';
  /** A larger page size is reduced to this silently. */
  readonly maxPageSize: number;
  readonly missingUser: 400 | 404 | 500;
  /** Unit of `expires_in`. */
  readonly expiresIn: 'seconds' | 'ms';
  /** No two users may have the same e-mail: a write that would make it so is refused, and a row of it is bad. */
  readonly uniqueEmail: boolean;
  /** What an empty CSV cell does to an existing value. */
  readonly emptyCell: 'clears' | 'keeps';
  /** What PUT does to the fields that its payload omits. */
  readonly put: 'merges' | 'replaces';
  /** The `userId` of an update, and of the answer to create. */
  readonly userId: 'id' | 'uid' | 'identification';
  /** What adding a main leader does where the user has another one. */
  readonly mainLeader: 'refuses' | 'replaces';
  /** The row command that enables a disabled user. */
  readonly enableBy: 'U' | 'I';
  /** Request encodings of the upload; the others get 400. */
  readonly uploadEncodings: readonly UploadEncoding[];
  /** An upload while a file is processing: refused with this status, or queued behind it. */
  readonly busyUpload: '400' | '409' | '423' | 'queue';
  /** Presenting a used refresh token revokes every token that came from it. */
  readonly strictReuse: boolean;
  /** A file with bad rows: fails without effect, applies the good rows and reports failure, or applies them and reports success. */
  readonly fileFailure: 'none-applied' | 'good-applied' | 'says-done';
  /** Language of the users, in which reads and searches show the names of months. */
  readonly monthNames: MonthLanguage;
  /**
   * What reads and searches show instead of a member: `E000007.identification:null`, `E000008.enabled:yes`. `null` is JSON's.
   */
  readonly damages: Readonly<Record<string, string>>;
  /** A date field that reads and searches never show. */
  readonly hideDateField: '' | 'orgEntryDate' | 'birthDate';
  /** How a new user's identification is kept. */
  readonly identifications: 'kept' | 'lowercase';
  /** 0 keeps text as sent. n > 0 trims blanks at both ends and cuts text to n characters. */
  readonly trims: number;
  /** Fields whose writes are accepted and discarded. */
  readonly ignoresField: readonly FieldName[];
  /** `always`: every accepted write advances `lastUpdate`; `changes`: only one that changes a value. */
  readonly touch: 'always' | 'changes';
  readonly refreshTokenLifeMs: number;
  /** File status of success and of failure. */
  readonly doneStatus: string;
  readonly failedStatus: string;
  /** The token that the role endpoints require. */
  readonly rolesToken: 'any' | 'access' | 'application';
  readonly csvDelimiter: string;
  /** Format of dates in CSV cells. */
  readonly csvDateFormat: 'yyyy-MM-dd' | 'dd/MM/yyyy' | 'MM/dd/yyyy';
  /** Field mapping for `preprocessing=true`: column of the file to column of the platform. Empty: not configured. */
  readonly fieldMapping: Readonly<Record<string, string>>;
  /** Valid values of `declineReasonId`. */
  readonly declineReasons: readonly number[];
}

export type UploadEncoding = 'multipart' | 'json' | 'json-base64';

export const defaultQuirks: SandboxQuirks = {
  parameters: 'query',
  maxPageSize: 1000,
  missingUser: 400,
  expiresIn: 'seconds',
  uniqueEmail: false,
  emptyCell: 'clears',
  put: 'merges',
  userId: 'id',
  mainLeader: 'refuses',
  enableBy: 'U',
  uploadEncodings: ['multipart', 'json', 'json-base64'],
  busyUpload: '400',
  strictReuse: false,
  fileFailure: 'none-applied',
  monthNames: 'en',
  damages: {},
  hideDateField: '',
  identifications: 'kept',
  trims: 0,
  ignoresField: [],
  touch: 'always',
  refreshTokenLifeMs: 2_592_000_000,
  doneStatus: 'Processed',
  failedStatus: 'Failed',
  rolesToken: 'any',
  csvDelimiter: ',',
  csvDateFormat: 'yyyy-MM-dd',
  fieldMapping: {},
  declineReasons: [1, 2, 3],
};

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

/** The words of quirks that are one of a few. */
const choices: Readonly<Partial<Record<string, readonly string[]>>> = {
  parameters: ['query', 'body'],
  expiresIn: ['seconds', 'ms'],
  emptyCell: ['clears', 'keeps'],
  put: ['merges', 'replaces'],
  userId: ['id', 'uid', 'identification'],
  mainLeader: ['refuses', 'replaces'],
  enableBy: ['U', 'I'],
  busyUpload: ['400', '409', '423', 'queue'],
  fileFailure: ['none-applied', 'good-applied', 'says-done'],
  hideDateField: ['', 'orgEntryDate', 'birthDate'],
  identifications: ['kept', 'lowercase'],
  touch: ['always', 'changes'],
  rolesToken: ['any', 'access', 'application'],
  csvDateFormat: ['yyyy-MM-dd', 'dd/MM/yyyy', 'MM/dd/yyyy'],
} satisfies { readonly [Name in keyof SandboxQuirks]?: readonly SandboxQuirks[Name][] };

/** Reads `name=value`. The default of the quirk decides the type of the value. Throws `USAGE`. */
export function parseQuirk(text: string): [string, unknown] {
  const [name = '', ...rest] = text.split('=');
  if (!Object.hasOwn(defaultQuirks, name) || rest.length === 0) {
    const known = Object.keys(defaultQuirks).join(', ');
    throw refusal(text, `it must be name=value, with a name of: ${known}`);
  }
  const value = rest.join('=');
  const allowed = choices[name];
  if (allowed?.includes(value) === false) throw refusal(text, `its value must be one of: ${allowed.join(', ')}`);
  return [name, readValue(text, value, defaultQuirks[name as keyof SandboxQuirks])];
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
