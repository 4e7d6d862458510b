import Sqlite from 'better-sqlite3';
import { RollcallError } from '../core/errors.ts';

/** Whether another process has the file just now, so that the same call may succeed a moment later. */
export function isBusy(error: unknown): boolean {
  return error instanceof Sqlite.SqliteError && /^SQLITE_(BUSY|LOCKED|PROTOCOL)/.test(error.code);
}

interface Trouble {
  readonly codes: RegExp;
  readonly code: 'STORE_INVALID' | 'CONFLICT';
  readonly retry: 'never' | 'backoff';
  readonly advice: string;
}

const troubles: readonly Trouble[] = [
  {
    codes: /^SQLITE_(NOTADB|CORRUPT|FORMAT)/,
    code: 'STORE_INVALID',
    retry: 'never',
    advice:
      'is damaged or no SQLite database. Stop every process that uses it, keep a copy of the file with its -wal, ' +
      'and put back a backup or name another file under "store"',
  },
  {
    codes: /^SQLITE_(READONLY|CANTOPEN|PERM|AUTH)/,
    code: 'STORE_INVALID',
    retry: 'never',
    advice:
      'cannot be opened for writing. Check that file, -wal, -shm and their folder belong to the user who runs Rollcall ' +
      'and that the disk is not mounted read-only',
  },
  {
    codes: /^SQLITE_FULL/,
    code: 'STORE_INVALID',
    retry: 'backoff',
    advice: 'has no room left to grow. Free space on its disk; nothing half-written was kept',
  },
  {
    codes: /^SQLITE_(IOERR|NOMEM|NOLFS)/,
    code: 'STORE_INVALID',
    retry: 'backoff',
    advice: 'could not be read or written. Look at the disk and the system log; nothing half-written was kept',
  },
  {
    codes: /^SQLITE_(BUSY|LOCKED|PROTOCOL)/,
    code: 'STORE_INVALID',
    retry: 'backoff',
    advice:
      'was locked by another process for too long. Look for a program that holds it open in a transaction: a backup, ' +
      'a sqlite3 shell, or a Rollcall that hangs',
  },
  {
    codes: /^SQLITE_CONSTRAINT/,
    code: 'CONFLICT',
    retry: 'never',
    advice: 'holds a row that forbids this write; it was not done',
  },
];

/** Turns an error of the SQLite driver into one that says what to do; anything else comes back as it is. */
export function explainSqliteError(error: unknown, file: string): unknown {
  if (!(error instanceof Sqlite.SqliteError)) return error;
  const trouble = troubles.find(({ codes }) => codes.test(error.code));
  if (trouble === undefined) return error;
  const message = `the store ${file} ${trouble.advice} (${error.code}: ${error.message}).`;
  return new RollcallError(message, { code: trouble.code, retry: trouble.retry, cause: error });
}
