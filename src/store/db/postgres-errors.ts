import { DatabaseError } from 'pg';
import { RollcallError } from '../../core/run/errors.ts';
import { tlsTrouble } from '../../drivers/sql/connection-trouble.ts';
import { type KnownError, TryAgain } from './errors.ts';

interface KnownPostgresError extends KnownError {
  /** Whether the server's message contains a value of a row and cannot be shown. */
  readonly holdsValue?: boolean;
}

/** By SQLSTATE (PostgreSQL documentation, appendix A). The first match counts. */
const knownPostgresErrors: readonly KnownPostgresError[] = [
  {
    codes: /^23/,
    code: 'CONFLICT',
    advice: 'has a row that conflicts with this write; nothing was written',
    holdsValue: true,
  },
  {
    codes: /^28/,
    advice: 'refuses the login. Check user and password in the url under "store", and pg_hba.conf on the server',
  },
  {
    codes: /^3D000/,
    advice: 'does not exist. Create the database, owned by the user of the url, or name another one',
  },
  {
    codes: /^42501/,
    advice:
      'denies a permission to the user of the url. Make that user the owner of the database, or grant it the schema',
  },
  {
    codes: /^(42P01|42703)/,
    advice: 'lacks a table or a column that existed when it was opened. Restore a backup; nothing was written',
  },
  {
    codes: /^25006/,
    retry: 'backoff',
    advice: 'is read-only: a standby, or a primary that was just replaced. Rollcall looks for the primary again',
  },
  {
    codes: /^53300/,
    retry: 'backoff',
    advice: 'has no free connection. Raise max_connections, or run fewer replicas (each uses up to 10)',
  },
  {
    codes: /^(53|58)/,
    retry: 'backoff',
    advice: 'is out of space, or its disk has errors. Check the server and its log; no partial write was kept',
  },
  {
    codes: /^(55P03|57014)/,
    retry: 'backoff',
    advice: 'took too long, or another transaction held the rows. Look for it in pg_stat_activity',
  },
  {
    codes: /^(08|25P0[34]|57P0)/,
    retry: 'backoff',
    advice: 'has closed the connection: it stops, starts or fails over. A write is stored completely or not at all',
  },
  {
    codes: /^22/,
    advice: 'cannot store a value of this write; it was not done. Please report this',
    holdsValue: true,
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
  const isSafe = known !== undefined && known.holdsValue !== true;
  const what = isSafe ? `${state}: ${error.message}` : [state, error.constraint].filter(Boolean).join(' ');
  return new RollcallError(`the store ${place} ${advice} (${what}).`, { code, retry, cause: factOf(error) });
}

function factOf({ code = 'no code', table, constraint, routine }: DatabaseError): Error {
  const where = [table, constraint, routine].filter((part) => part !== undefined).join(', ');
  return Object.assign(new Error(`PostgreSQL said ${code} (${where})`), { code });
}
