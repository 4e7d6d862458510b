import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { hostOf } from '../../core/run/addresses.ts';
import { RollcallError } from '../../core/run/errors.ts';
import { given } from '../../core/run/given.ts';
import { tlsTrouble } from '../../drivers/sql/connection-trouble.ts';
import { parseDatabaseUrl, type SqlDialect, type SqlPlace } from '../../drivers/sql/database-url.ts';
import type { SessionOptions, SqlSession } from '../../drivers/sql/sql-session.ts';
import { openSqlite, SqliteFailure } from '../../drivers/sql/sqlite.ts';
import type { SourceIo } from '../../ports/source.ts';
import type { SqlConfig } from './config.ts';
import { readStatement } from './statement.ts';

export type OpenSession = Awaited<ReturnType<typeof openSession>>;

/** Begins the transaction of a read. Must be closed. Throws `SOURCE_UNAVAILABLE`, or the reason of an abort. */
export async function openSession(
  config: SqlConfig,
  folder: string,
  { clock, signal }: Pick<SourceIo, 'clock' | 'signal'>,
) {
  signal.throwIfAborted();
  const place = parseDatabaseUrl(config.url);
  if ('problem' in place) throw new RollcallError(`source.url ${place.problem}`, { code: 'CONFIG_INVALID' });
  const query = await readQuery(config, place.dialect, folder);
  const options = { query, folder, key: 'source.url', statementTimeoutMs: config.statementTimeout, clock, signal };
  const explain = (error: unknown): unknown => (signal.aborted ? signal.reason : explainError(error, place.name));
  try {
    return {
      session: await openAt(place, options),
      /** Name of the database in messages, without user and password. */
      place: place.name,
      /**
       * Returns the error to throw for an error of the session: the abort's own reason after an abort, else
       * `SOURCE_UNAVAILABLE`.
       */
      explain,
    };
  } catch (error) {
    throw explain(error);
  }
}

async function openAt(place: SqlPlace, options: SessionOptions): Promise<SqlSession> {
  if (place.dialect === 'sqlite') return openSqlite(place, options);
  // Each driver is loaded only where it is used.
  if (place.dialect === 'postgres') return (await import('../../drivers/sql/postgres.ts')).openPostgres(place, options);
  return (await import('../../drivers/sql/mysql.ts')).openMysql(place, options);
}

async function readQuery({ query, queryFile }: SqlConfig, dialect: SqlDialect, folder: string): Promise<string> {
  const written = query ?? (await readQueryFile(resolve(folder, queryFile ?? '')));
  const statement = readStatement(written, dialect);
  if ('query' in statement) return statement.query;
  const where = queryFile === undefined ? 'source.query' : `the query in ${queryFile}`;
  throw new RollcallError(`${where} ${statement.problem}. Nothing was read.`, { code: 'SOURCE_UNAVAILABLE' });
}

async function readQueryFile(path: string): Promise<string> {
  try {
    // Reading a pipe waits for its writer, which may never come.
    if (!(await stat(path)).isFile()) throw notRegular(path);
    return (await readFile(path, 'utf8')).replace(/^\uFEFF/, '');
  } catch (error) {
    if (error instanceof RollcallError) throw error;
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new RollcallError(`cannot read the query in ${path} (${code}): check source.queryFile and its rights.`, {
      code: 'SOURCE_UNAVAILABLE',
    });
  }
}

function notRegular(path: string): RollcallError {
  const message = `${path} is not a file: a folder, pipe or device cannot be read. Set source.queryFile to the file with the query`;
  return new RollcallError(message, { code: 'SOURCE_UNAVAILABLE' });
}

interface Answer {
  /** Absent: never. */
  readonly retry?: 'backoff';
  readonly advice: string;
  /** What every query of this server has in common. Absent: the error is about this query. */
  readonly topic?: 'source' | 'credential';
}

interface KnownError extends Answer {
  readonly codes: RegExp;
}

/** By SQLSTATE (ISO 9075; PostgreSQL appendix A; MySQL error reference). The first match counts. */
const serverErrors: readonly KnownError[] = [
  {
    codes: /^(28|08004 1130)/,
    advice: 'refuses the login. Check user and password in source.url, and the rules of the server for this host',
    topic: 'credential',
  },
  {
    codes: /^(3D|42000 1049)/,
    advice: 'does not exist. Check the database in source.url',
  },
  {
    codes: /^(25006|0A)/,
    advice: 'refuses the query, because it would write. Make source.query a plain select; nothing was changed',
  },
  {
    codes: /^(42501|42000 (1044|1142|1143|1227|1370)|HY000 1356)/,
    advice: 'forbids the user of source.url to read this. Grant it select on what the query reads',
  },
  {
    codes: /^42/,
    advice: 'cannot run the query. Correct source.query, or grant what it reads: a table or column may be missing',
  },
  {
    codes: /^22/,
    advice: 'failed on a value while it ran the query, most often in a cast. Make the query work for every row',
  },
  {
    codes: /^(57014|70100|HY000 3024)/,
    retry: 'backoff',
    advice: 'did not finish in time. Make the query faster (an index, a smaller view) or raise source.statementTimeout',
  },
  {
    codes: /^(08|25P0|40|53|57|58)/,
    retry: 'backoff',
    advice: 'ended the read: it stops, starts, fails over, or has no free connection. The read is repeated',
    topic: 'source',
  },
];

const sqliteErrors: readonly KnownError[] = [
  {
    codes: /^SQLITE_CANTOPEN/,
    retry: 'backoff',
    advice: 'cannot be opened. Check the path in source.url, and that this process can read file and folder',
  },
  {
    codes: /^(SQLITE_NOTADB|SQLITE_READONLY|SQLITE_AUTH|SQLITE_PERM)/,
    advice: 'cannot be used: it is not an SQLite file, or the query would write. Check source.url and source.query',
  },
  { codes: /^(SQLITE_BUSY|SQLITE_LOCKED)/, retry: 'backoff', advice: 'is locked by another process' },
  {
    codes: /^TIMEOUT/,
    retry: 'backoff',
    advice: 'did not finish in time. Make the query faster (an index, a smaller view) or raise source.statementTimeout',
  },
  {
    codes: /^SQLITE_ERROR|^SQLITE_RANGE/,
    advice: 'cannot run the query. Correct source.query: a table or column may be missing',
  },
];

const lost =
  'cannot be reached, or the connection broke while it was read. Check host, port and network; the next run repeats the read';
const unexpected: Answer = {
  retry: 'backoff',
  advice: 'returned an unexpected error. The read is repeated; check the log of the database',
};

/**
 * Turns a driver's error into `SOURCE_UNAVAILABLE` with advice. The message names SQLSTATE only: the database's own text
 * may hold values. That text is `raw`; `detail` and the statement are omitted.
 */
function explainError(error: unknown, place: string): unknown {
  if (error instanceof RollcallError || !(error instanceof Error)) return error;
  const state = stateOf(error);
  if (state === undefined) {
    const trouble = tlsTrouble(error, 'source.url');
    const shown = 'code' in error ? String(error.code) : '';
    const raw = error.message;
    if (trouble !== undefined) return unavailable(place, { ...trouble, raw, topic: 'source' });
    return unavailable(place, { advice: lost, shown, retry: 'backoff', raw, topic: 'source' });
  }
  const table = error instanceof SqliteFailure ? sqliteErrors : serverErrors;
  const answer: Answer = table.find(({ codes }) => codes.test(state)) ?? unexpected;
  return unavailable(place, { ...answer, shown: state, raw: error.message });
}

interface Explanation extends Answer {
  /** SQLSTATE, or the code of the driver; empty when there is none. */
  readonly shown: string;
  /** The database's own text. */
  readonly raw: string;
}

function unavailable(place: string, { advice, shown, raw, retry, topic }: Explanation): RollcallError {
  const state = shown === '' ? '' : ` (${shown})`;
  const rootCause = topic === undefined ? undefined : { topic, subject: hostOf(place) };
  return new RollcallError(`the database ${place} ${advice}${state}.`, {
    code: topic === 'credential' ? 'SOURCE_REFUSED' : 'SOURCE_UNAVAILABLE',
    retry: retry ?? 'never',
    raw: raw.slice(0, 4000),
    ...given({ rootCause }),
  });
}

/** Returns SQLSTATE, with MySQL's own number; or SQLite's code. Undefined when the error is not from a database. */
function stateOf(error: Error): string | undefined {
  if (error instanceof SqliteFailure) return error.code;
  if ('sqlState' in error && typeof error.sqlState === 'string' && 'errno' in error) {
    return `${error.sqlState} ${error.errno}`;
  }
  const code = 'code' in error ? String(error.code) : '';
  return /^[0-9A-Z]{5}$/.test(code) && /\d/.test(code) ? code : undefined;
}
