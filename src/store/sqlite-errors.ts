import Sqlite from 'better-sqlite3';
import { RollcallError } from '../core/run/errors.ts';
import type { KnownError } from './store-errors.ts';

/** Returns whether another process locks the file now, so that the same call may succeed later. */
export function isBusy(error: unknown): boolean {
  return error instanceof Sqlite.SqliteError && /^SQLITE_(BUSY|LOCKED|PROTOCOL)/.test(error.code);
}

const knownErrors: readonly KnownError[] = [
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
    codes: /^SQLITE_FULL/,
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
    advice: 'has a row that conflicts with this write; it was not done',
  },
];

/** Turns an error of the SQLite driver into one that says what to do. Returns any other error unchanged. */
export function explainSqliteError(error: unknown, file: string): unknown {
  if (!(error instanceof Sqlite.SqliteError)) return error;
  const known = knownErrors.find(({ codes }) => codes.test(error.code));
  if (known === undefined) return error;
  const { code = 'STORE_INVALID', retry = 'never', advice } = known;
  return new RollcallError(`the store ${file} ${advice} (${error.code}: ${error.message}).`, {
    code,
    retry,
    cause: error,
  });
}
