import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { RollcallError } from '../../core/run/errors.ts';
import { parseDatabaseUrl, type SqlDialect, type SqlPlace } from '../../drivers/sql/database-url.ts';
import type { SessionOptions, SqlSession } from '../../drivers/sql/sql-session.ts';
import { openSqlite } from '../../drivers/sql/sqlite.ts';
import type { SourceIo } from '../../ports/source.ts';
import type { SqlConfig } from './config.ts';
import { explainError } from './errors.ts';
import { readStatement } from './statement.ts';

export interface OpenSession {
  readonly session: SqlSession;
  /** Name of the database in messages, without user and password. */
  readonly place: string;
  /**
   * Returns the error to throw for an error of the session: the abort's own reason after an abort, else
   * `SOURCE_UNAVAILABLE`.
   */
  explain(error: unknown): unknown;
}

/** Begins the transaction of a read. Must be closed. Throws `SOURCE_UNAVAILABLE`, or the reason of an abort. */
export async function openSession(
  config: SqlConfig,
  folder: string,
  { clock, signal }: Pick<SourceIo, 'clock' | 'signal'>,
): Promise<OpenSession> {
  signal.throwIfAborted();
  const place = parseDatabaseUrl(config.url);
  if ('problem' in place) throw new RollcallError(`source.url ${place.problem}`, { code: 'CONFIG_INVALID' });
  const query = await readQuery(config, place.dialect, folder);
  const options = { query, folder, key: 'source.url', statementTimeoutMs: config.statementTimeout, clock, signal };
  const explain = (error: unknown): unknown => (signal.aborted ? signal.reason : explainError(error, place.name));
  try {
    return { session: await openAt(place, options), place: place.name, explain };
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
