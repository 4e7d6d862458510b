import type { FieldName } from '../core/fields.ts';

/**
 * How this platform behaves where the contract is silent. The defaults are the assumptions that the product makes by
 * itself, so that a sandbox without quirks and a connection without dialect fit together.
 */
export interface SandboxQuirks {
  /** Where GET users takes its parameters from; the other place is not read. */
  readonly parameters: 'query' | 'body';
  /** A larger page size is cut to this without a word. */
  readonly maxPageSize: number;
  /** Status of reading a user who does not exist. */
  readonly missingUser: 400 | 404 | 500;
  /** Unit of `expires_in`. */
  readonly expiresIn: 'seconds' | 'ms';
  /** What an empty CSV cell does to an existing value. */
  readonly emptyCell: 'clears' | 'keeps';
  /** What PUT does to the fields that its payload leaves out. */
  readonly put: 'merges' | 'replaces';
  /** What `userId` of an update is, and what create returns as such. */
  readonly userId: 'id' | 'uid' | 'identification';
  /** The command by which a row enables a disabled user. */
  readonly enableBy: 'U' | 'I';
  /** Request encodings of the upload; the others get 400. */
  readonly uploadEncodings: readonly UploadEncoding[];
  /** An upload while a file is processing: refused with 409, or queued behind it. */
  readonly busyUpload: 'refuse' | 'queue';
  /** Presenting a used refresh token revokes every token that came from it. */
  readonly strictReuse: boolean;
  /** A file with bad rows: fails without effect, applies the good rows and says failed, or applies them and says done. */
  readonly fileFailure: 'none-applied' | 'good-applied' | 'says-done';
  /** A date field that reads and searches never show. */
  readonly hideDateField: '' | 'orgEntryDate' | 'birthDate';
  /** 0 keeps text as sent; n > 0: blanks at both ends go, and text is cut to n characters. */
  readonly trims: number;
  /** Fields whose writes are accepted and dropped. */
  readonly ignoresField: readonly FieldName[];
  /** `always`: every accepted write moves `lastUpdate`; `changes`: only one that changes a value. */
  readonly touch: 'always' | 'changes';
  readonly refreshTokenLifeMs: number;
  /** File status of success, of failure. */
  readonly doneStatus: string;
  readonly failedStatus: string;
  /** Which token the role endpoints take. */
  readonly rolesToken: 'any' | 'access' | 'application';
  readonly csvDelimiter: string;
  /** Format of dates in CSV cells. */
  readonly csvDateFormat: 'yyyy-MM-dd' | 'dd/MM/yyyy' | 'MM/dd/yyyy';
  /** Field mapping for `preprocessing=true`: column of the file to column of the platform. Empty: none is configured. */
  readonly fieldMapping: Readonly<Record<string, string>>;
  /** Valid values of `declineReasonId`. */
  readonly declineReasons: readonly number[];
}

export type UploadEncoding = 'multipart' | 'json' | 'json-base64';

export const defaultQuirks: SandboxQuirks = {
  parameters: 'query',
  maxPageSize: 1000,
  missingUser: 404,
  expiresIn: 'seconds',
  emptyCell: 'clears',
  put: 'merges',
  userId: 'id',
  enableBy: 'U',
  uploadEncodings: ['multipart', 'json', 'json-base64'],
  busyUpload: 'refuse',
  strictReuse: true,
  fileFailure: 'none-applied',
  hideDateField: '',
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
