import { DatabaseError } from 'pg';
import { RollcallError } from '../core/errors.ts';
import { TryAgain } from './try-again.ts';

interface Trouble {
  readonly codes: RegExp;
  readonly code: 'STORE_INVALID' | 'CONFLICT';
  readonly retry: 'never' | 'backoff';
  readonly advice: string;
  /** What the server says of it names no value of a row, so that it may be told. */
  readonly isTold?: boolean;
}

/** By SQLSTATE (PostgreSQL documentation, appendix A), the first that matches. */
const troubles: readonly Trouble[] = [
  {
    codes: /^23/,
    code: 'CONFLICT',
    retry: 'never',
    advice: 'holds a row that forbids this write; it was not done',
  },
  {
    codes: /^28/,
    code: 'STORE_INVALID',
    retry: 'never',
    advice: 'does not let us in. Check user and password in the url under "store", and pg_hba.conf on the server',
    isTold: true,
  },
  {
    codes: /^3D000/,
    code: 'STORE_INVALID',
    retry: 'never',
    advice: 'does not exist. Create the database, owned by the user of the url, or name another one',
    isTold: true,
  },
  {
    codes: /^42501/,
    code: 'STORE_INVALID',
    retry: 'never',
    advice: 'forbids what the user of the url wants to do. Let that user own the database, or grant it its schema',
    isTold: true,
  },
  {
    codes: /^(42P01|42703)/,
    code: 'STORE_INVALID',
    retry: 'never',
    advice: 'lacks a table or a column that was there when it was opened. Put back a backup; nothing was written',
    isTold: true,
  },
  {
    codes: /^25006/,
    code: 'STORE_INVALID',
    retry: 'backoff',
    advice: 'is read-only: a standby, or a primary that has just been replaced. It is looked for anew',
    isTold: true,
  },
  {
    codes: /^53300/,
    code: 'STORE_INVALID',
    retry: 'backoff',
    advice: 'has no connection left for us. Raise max_connections, or run fewer replicas (each takes up to 10)',
    isTold: true,
  },
  {
    codes: /^(53|58)/,
    code: 'STORE_INVALID',
    retry: 'backoff',
    advice: 'has no room or a disk in trouble. Look at the server and its log; nothing half-written was kept',
    isTold: true,
  },
  {
    codes: /^(55P03|57014)/,
    code: 'STORE_INVALID',
    retry: 'backoff',
    advice: 'took too long, or somebody else held the rows. Look in pg_stat_activity for a transaction that hangs',
    isTold: true,
  },
  {
    codes: /^(08|25P0[34]|57P0)/,
    code: 'STORE_INVALID',
    retry: 'backoff',
    advice: 'has closed the connection: it stops, starts, or fails over. A write is there wholly or not at all',
    isTold: true,
  },
  {
    codes: /^22/,
    code: 'STORE_INVALID',
    retry: 'never',
    advice: 'cannot hold a value of this write; it was not done. Please report this',
  },
];

const unreachable = 'cannot be reached. Is the server up, and the address in the url under "store" right?';
const lost = 'cannot be reached, or the connection broke. A write is there wholly or not at all';
/** No connection was made at all. */
const unreachableCodes: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);
const unexpected = 'gave an error that was not expected; what was being written was not done. Please report this';

/** Whether the connection is of no use any more: it broke, or leads to a server that takes no writes. */
export function isConnectionSpent(error: unknown): boolean {
  return !(error instanceof DatabaseError) || /^(08|25006|25P0[34]|57P0|XX)/.test(error.code ?? '');
}

/** The server has undone a transaction because another one stood in its way. */
export function isCollision(error: unknown): boolean {
  return error instanceof DatabaseError && /^(40001|40P01)$/.test(error.code ?? '');
}

/**
 * Turns an error of the driver into one that says what to do. `place` names the store without its password. Neither the
 * message nor the cause holds a value of a row: the server's own `detail` does, so it is left out.
 */
export function explainPostgresError(error: unknown, place: string): unknown {
  if (error instanceof RollcallError || !(error instanceof Error)) return error;
  if (!(error instanceof DatabaseError)) {
    const what = 'code' in error && unreachableCodes.has(error.code) ? unreachable : lost;
    const message = `the store ${place} ${what} (${error.message}).`;
    return new RollcallError(message, { code: 'STORE_INVALID', retry: 'backoff', cause: error });
  }
  const state = error.code ?? 'no code';
  if (isCollision(error)) {
    const message = `the store ${place} was asked by several workers for the same rows at once (${state}); nothing was written.`;
    return new TryAgain(message, factOf(error));
  }
  const trouble = troubles.find(({ codes }) => codes.test(state));
  const { code = 'STORE_INVALID', retry = 'never', advice = unexpected } = trouble ?? {};
  const what =
    trouble?.isTold === true ? `${state}: ${error.message}` : [state, error.constraint].filter(Boolean).join(' ');
  return new RollcallError(`the store ${place} ${advice} (${what}).`, { code, retry, cause: factOf(error) });
}

function factOf({ code = 'no code', table, constraint, routine }: DatabaseError): Error {
  const where = [table, constraint, routine].filter((part) => part !== undefined).join(', ');
  return Object.assign(new Error(`PostgreSQL said ${code} (${where})`), { code });
}
