import Sqlite from 'better-sqlite3';
import { isStoreAway, RollcallError } from '../../core/run/errors.ts';
import { olderCopy } from '../../ports/store.ts';

/**
 * Nothing of the transaction was done, and the same one may succeed at once: two transactions conflicted, or the
 * connection was dead before it began. `inTransaction` retries before any caller sees this error.
 */
export class TryAgain extends RollcallError {
  constructor(message: string, cause: unknown) {
    super(message, { code: 'STORE_INVALID', retry: 'backoff', cause });
  }
}

/** What an error of a database means, by its code. */
export interface KnownError {
  readonly codes: RegExp;
  /** Absent: `STORE_INVALID`. */
  readonly code?: 'CONFLICT';
  /** Absent: never. */
  readonly retry?: 'backoff';
  /** Continues `the store …`. */
  readonly advice: string;
}

/** Returns whether another process locks the file now, so that the same call may succeed later. */
export function isBusy(error: unknown): boolean {
  return error instanceof Sqlite.SqliteError && /^SQLITE_(BUSY|LOCKED|PROTOCOL)/.test(error.code);
}

const knownSqliteErrors: readonly KnownError[] = [
  {
    codes: /^SQLITE_(NOTADB|CORRUPT|FORMAT)/,
    advice:
      'is damaged, or it is not a SQLite database. Stop every process that uses it, copy the file with its -wal, ' +
      'and restore a backup or name another file under "store"',
  },
  {
    codes: /^SQLITE_(READONLY|CANTOPEN|PERM|AUTH)/,
    advice:
      'cannot be opened for writing. Check that the file, its -wal, its -shm and their folder belong to the user who runs Rollcall ' +
      'and that the disk is not mounted read-only',
  },
  {
    // The index of the log cannot grow.
    codes: /^SQLITE_(FULL|IOERR_SHMSIZE)/,
    retry: 'backoff',
    advice: 'has no space left to grow. Free space on its disk; no partial write was kept',
  },
  {
    codes: /^SQLITE_(IOERR|NOMEM|NOLFS)/,
    retry: 'backoff',
    advice: 'could not be read or written. Check the disk and the system log; no partial write was kept',
  },
  {
    codes: /^SQLITE_(BUSY|LOCKED|PROTOCOL)/,
    retry: 'backoff',
    advice:
      'was locked by another process for too long. Look for a program that keeps it open in a transaction: a backup, ' +
      'a sqlite3 shell, or a Rollcall process that hangs',
  },
  {
    codes: /^SQLITE_CONSTRAINT/,
    code: 'CONFLICT',
    advice: 'has a row that conflicts with this write; nothing was written',
  },
];

/** Turns an error of the SQLite driver into one that says what to do. Returns any other error unchanged. */
export function explainSqliteError(error: unknown, file: string): unknown {
  if (!(error instanceof Sqlite.SqliteError)) return error;
  const known = knownSqliteErrors.find(({ codes }) => codes.test(error.code));
  if (known === undefined) return error;
  const { code = 'STORE_INVALID', retry = 'never', advice } = known;
  return new RollcallError(`the store ${file} ${advice} (${error.code}: ${error.message}).`, {
    code,
    retry,
    cause: error,
  });
}

/** What an error of either database says about the store as a whole, by its code. */
const faults: readonly (readonly [codes: RegExp, words: string])[] = [
  [/^STORE_REPLACED/, 'its file was deleted or replaced'],
  [/^STORE_OLDER/, olderCopy],
  [/^STORE_MOVED/, 'its content was moved to another store'],
  [/^STORE_OTHER/, 'it is not the store that this process opened'],
  [/^(SQLITE_FULL|SQLITE_IOERR_SHMSIZE|53100|ENOSPC|EDQUOT)/, 'its disk is full'],
  [/^(SQLITE_(READONLY|CANTOPEN|PERM)|25006|EROFS)/, 'it is read-only'],
  [/^(SQLITE_(IOERR|CORRUPT|NOTADB)|53|58|XX)/, 'it or its disk has errors'],
  [/^SQLITE_(BUSY|LOCKED)/, 'another process locks it'],
];

/** Says in a few words why the store takes no write, without its place. */
export function describeFault(error: unknown): string {
  const code = causeCode(error);
  return faults.find(([codes]) => codes.test(code))?.[1] ?? 'it does not answer';
}

/**
 * Returns the same for an error that an operator can end while a process waits: a full or read-only disk, a server that is
 * away. Undefined for a store that no wait repairs: damaged, of another version, or wrongly configured.
 */
export function passingFault(error: unknown): string | undefined {
  const isDisk = /^(SQLITE_(FULL|READONLY|IOERR)|ENOSPC|EDQUOT|EROFS|EIO)/.test(causeCode(error));
  return isDisk || isStoreAway(error) ? describeFault(error) : undefined;
}

function causeCode(error: unknown): string {
  const cause = error instanceof RollcallError ? error.cause : error;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : '';
}
