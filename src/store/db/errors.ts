import Sqlite from 'better-sqlite3';
import { DatabaseError } from 'pg';
import { isStoreAway, RollcallError } from '../../core/run/errors.ts';
import { tlsTrouble } from '../../drivers/sql/connection-trouble.ts';

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
    advice: 'has a row that conflicts with this write; it was not done',
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

interface KnownPostgresError extends KnownError {
  /** Whether the server's message contains no row value and can be shown. */
  readonly isSafe?: boolean;
}

/** By SQLSTATE (PostgreSQL documentation, appendix A). The first match counts. */
const knownPostgresErrors: readonly KnownPostgresError[] = [
  {
    codes: /^23/,
    code: 'CONFLICT',
    advice: 'has a row that conflicts with this write; it was not done',
  },
  {
    codes: /^28/,
    advice: 'refuses the login. Check user and password in the url under "store", and pg_hba.conf on the server',
    isSafe: true,
  },
  {
    codes: /^3D000/,
    advice: 'does not exist. Create the database, owned by the user of the url, or name another one',
    isSafe: true,
  },
  {
    codes: /^42501/,
    advice:
      'denies a permission to the user of the url. Make that user the owner of the database, or grant it the schema',
    isSafe: true,
  },
  {
    codes: /^(42P01|42703)/,
    advice: 'lacks a table or a column that existed when it was opened. Restore a backup; nothing was written',
    isSafe: true,
  },
  {
    codes: /^25006/,
    retry: 'backoff',
    advice: 'is read-only: a standby, or a primary that was just replaced. Rollcall looks for the primary again',
    isSafe: true,
  },
  {
    codes: /^53300/,
    retry: 'backoff',
    advice: 'has no free connection. Raise max_connections, or run fewer replicas (each uses up to 10)',
    isSafe: true,
  },
  {
    codes: /^(53|58)/,
    retry: 'backoff',
    advice: 'is out of space, or its disk has errors. Check the server and its log; no partial write was kept',
    isSafe: true,
  },
  {
    codes: /^(55P03|57014)/,
    retry: 'backoff',
    advice: 'took too long, or another transaction held the rows. Look for it in pg_stat_activity',
    isSafe: true,
  },
  {
    codes: /^(08|25P0[34]|57P0)/,
    retry: 'backoff',
    advice: 'has closed the connection: it stops, starts or fails over. A write is stored completely or not at all',
    isSafe: true,
  },
  {
    codes: /^22/,
    advice: 'cannot store a value of this write; it was not done. Please report this',
  },
];

const unreachable =
  'cannot be reached. Check that the server runs and that the address in the url under "store" is right';
const lost = 'cannot be reached, or the connection broke. A write is stored completely or not at all';
/** No connection was made. */
const unreachableCodes: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);
const unexpected = 'returned an unexpected error; the write was not done. Please report this';

/** What an error of either database says about the store as a whole, by its code. */
const faults: readonly (readonly [codes: RegExp, words: string])[] = [
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

/** Makes the error of a database that refuses every write, before one was tried. */
export function readOnlyStore(place: string): RollcallError {
  const cause = Object.assign(new Error('transaction_read_only is on'), { code: '25006' });
  const { advice = '' } = knownPostgresErrors.find(({ codes }) => codes.test(cause.code)) ?? {};
  return new RollcallError(`the store ${place} ${advice} (25006).`, { code: 'STORE_INVALID', retry: 'backoff', cause });
}

/** Returns whether the connection is no longer usable: it broke, or leads to a server that accepts no writes. */
export function isConnectionSpent(error: unknown): boolean {
  return !(error instanceof DatabaseError) || /^(08|25006|25P0[34]|57P0|XX)/.test(error.code ?? '');
}

/** Returns whether the server has undone a transaction because it conflicted with another one. */
export function isCollision(error: unknown): boolean {
  return error instanceof DatabaseError && /^(40001|40P01)$/.test(error.code ?? '');
}

/**
 * Turns a driver error into one that says what to do. `place` names the store without its password. Neither the message
 * nor the cause contains a row value: the server's `detail` does, so it is left out.
 */
export function explainPostgresError(error: unknown, place: string): unknown {
  if (error instanceof RollcallError || !(error instanceof Error)) return error;
  if (!(error instanceof DatabaseError)) {
    const known = 'code' in error && unreachableCodes.has(error.code) ? unreachable : lost;
    const what = tlsTrouble(error, 'the url under "store"')?.advice ?? known;
    const message = `the store ${place} ${what} (${error.message}).`;
    return new RollcallError(message, { code: 'STORE_INVALID', retry: 'backoff', cause: error });
  }
  const state = error.code ?? 'no code';
  if (isCollision(error)) {
    const message = `several workers changed the same rows of the store ${place} at the same time (${state}); nothing was written.`;
    return new TryAgain(message, factOf(error));
  }
  const known = knownPostgresErrors.find(({ codes }) => codes.test(state));
  const { code = 'STORE_INVALID', retry = 'never', advice = unexpected } = known ?? {};
  const what =
    known?.isSafe === true ? `${state}: ${error.message}` : [state, error.constraint].filter(Boolean).join(' ');
  return new RollcallError(`the store ${place} ${advice} (${what}).`, { code, retry, cause: factOf(error) });
}

function factOf({ code = 'no code', table, constraint, routine }: DatabaseError): Error {
  const where = [table, constraint, routine].filter((part) => part !== undefined).join(', ');
  return Object.assign(new Error(`PostgreSQL said ${code} (${where})`), { code });
}
