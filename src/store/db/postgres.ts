import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type TransactionSettings,
} from 'kysely';
import { type ClientBase, DatabaseError, Pool, type PoolClient, types } from 'pg';
import { RollcallError } from '../../core/run/errors.ts';
import { parseDatabaseUrl, postgresTls, readTls, type ServerPlace } from '../../drivers/sql/database-url.ts';
import type { OpenDatabase, Schema } from './database.ts';
import { storableText } from './differences.ts';
import { TryAgain } from './errors.ts';
import { explainPostgresError, isCollision, isConnectionSpent } from './postgres-errors.ts';

/** Connections per process. Nine replicas stay within the usual limit of 100 connections per server. */
const usualConnections = 10;
const connectTimeoutMs = 10_000;
const idleTimeoutMs = 30_000;
/** Longer than any wait for a lock. Every statement of the store takes far less. */
const statementTimeoutMs = 60_000;
/** A transaction that holds a row this long hangs: ours end within about a second. */
const lockTimeoutMs = 20_000;
/** A worker that stalls in a transaction loses it, and with it the rows that others wait for. */
const idleInTransactionMs = 30_000;
/** For a network that drops all packets: then the server's own limits never reach this process. */
const answerTimeoutMs = 75_000;

/** `bigint`: fences, counts and instants, all far below 2^53. */
const int8 = 20;

/**
 * Opens a pool on the PostgreSQL database that `url` names and checks the server once. Throws `CONFIG_INVALID` for a url
 * that cannot be read. Throws `STORE_INVALID` when the server cannot be reached, is a standby, or does not use UTF-8. No
 * message contains the password.
 */
export async function openPostgres(url: string, folder: string, connections = usualConnections): Promise<OpenDatabase> {
  const { pool, place, begin } = await openCheckedPool(url, folder, connections);
  return { db: new Kysely<Schema>({ dialect: postgresDialect(pool, place, begin) }), place };
}

/** Opens one connection, outside any pool, on the database that `url` names. Throws as `openPostgres` does. */
export async function openPostgresSession(url: string, folder: string) {
  const { pool, place } = await openCheckedPool(url, folder, 1);
  try {
    const client = await pool.connect();
    const close = async (): Promise<void> => {
      client.release(true);
      await pool.end();
    };
    return {
      client,
      /** For messages. */
      place,
      /** Ends the connection, and a transaction in progress. */
      close,
    };
  } catch (error) {
    await pool.end();
    throw explainPostgresError(error, place);
  }
}

interface CheckedPool {
  readonly pool: Pool;
  readonly place: string;
  /** The statement that begins a transaction. */
  readonly begin: string;
}

/** Opens a pool whose connections have the limits; behind a pooler that refuses these, each transaction has them. */
async function openCheckedPool(url: string, folder: string, connections: number): Promise<CheckedPool> {
  const place = readUrl(url);
  const ssl = postgresTls(await readTls(place.tls, { folder, key: urlKey }), place.host);
  const open = async (bounds: Partial<typeof limits>, begin: string): Promise<CheckedPool> => {
    const pool = openPool(place, connections, ssl, bounds);
    // The next query on the connection reports both again. Without a listener, the event would end the process.
    pool.on('error', () => {});
    pool.on('connect', (client) => client.on('error', () => {}));
    try {
      await checkServer(pool, place.name);
      return { pool, place: place.name, begin };
    } catch (error) {
      await pool.end();
      throw error;
    }
  };
  try {
    return await open(limits, 'begin').catch((error: unknown) => {
      if (!isParameterRefused(error)) throw error;
      return open({}, ['begin', ...settingsOfTransaction].join('; '));
    });
  } catch (error) {
    throw explainPostgresError(error, place.name);
  }
}

/** Limits that PostgreSQL takes as startup parameters (ms). */
const limits = {
  statement_timeout: statementTimeoutMs,
  lock_timeout: lockTimeoutMs,
  idle_in_transaction_session_timeout: idleInTransactionMs,
};

/** A setting of the session would stay on a server connection that a pooler shares with others. */
const settingsOfTransaction = Object.entries({ ...limits, synchronous_commit: 'on' }).map(
  ([name, value]) => `set local ${name} = ${value}`,
);

/**
 * PgBouncer refuses startup parameters as a violation of the protocol, unless `ignore_startup_parameters` lists them (its
 * documentation, "config").
 */
function isParameterRefused(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '08P01';
}

const urlKey = 'the url under "store"';
const example = 'postgres://user:password@host:5432/database?sslmode=verify-full';

/** Returns the place of the store. Throws `CONFIG_INVALID` without user and password in the message, and without a cause. */
function readUrl(url: string): ServerPlace {
  const place = parseDatabaseUrl(url);
  if ('dialect' in place && place.dialect === 'postgres') return place;
  const problem = 'problem' in place ? place.problem : 'is not of PostgreSQL';
  throw new RollcallError(`${urlKey} ${problem}. It looks like ${example}.`, { code: 'CONFIG_INVALID' });
}

function openPool(
  place: ServerPlace,
  connections: number,
  ssl: ReturnType<typeof postgresTls>,
  bounds: Partial<typeof limits>,
): Pool {
  const { host, port, user, password, database, applicationName } = place;
  return new Pool({
    host,
    port,
    user,
    database,
    ssl,
    ...(password === undefined ? {} : { password }),
    application_name: applicationName,
    max: connections,
    connectionTimeoutMillis: connectTimeoutMs,
    idleTimeoutMillis: idleTimeoutMs,
    ...bounds,
    query_timeout: answerTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: connectTimeoutMs,
    types: { getTypeParser: (oid: number) => (oid === int8 ? Number : types.getTypeParser(oid)) },
    onConnect: (client) => prepareSession(client, place.name),
  });
}

/**
 * Prepares each connection. It must lead to a server that accepts writes (after a failover the old one may be a standby),
 * and commits must survive a power cut: a refreshed token must be durable before it is used.
 */
async function prepareSession(client: ClientBase, place: string): Promise<void> {
  const { rows } = await client.query<{ is_standby: boolean; synchronous: string }>(
    "select pg_is_in_recovery() as is_standby, current_setting('synchronous_commit') as synchronous",
  );
  if (rows[0]?.is_standby === true) {
    const message = `the store ${place} is a standby and accepts no writes. Name the primary under "store"; after a failover Rollcall finds it again automatically.`;
    throw new RollcallError(message, { code: 'STORE_INVALID', retry: 'backoff' });
  }
  if (rows[0]?.synchronous === 'off') await client.query('set synchronous_commit = on');
}

async function checkServer(pool: Pool, place: string): Promise<void> {
  const { rows } = await pool.query<{ encoding: string; version: number }>(
    "select current_setting('server_encoding') as encoding, current_setting('server_version_num')::int as version",
  );
  const { encoding = '', version = 0 } = rows[0] ?? {};
  if (encoding !== 'UTF8') {
    const message = `the store ${place} has the encoding ${encoding}, which cannot store every name. Create a database with the encoding UTF8.`;
    throw new RollcallError(message, { code: 'STORE_INVALID' });
  }
  if (version < 130_000) {
    const message = `the store ${place} runs PostgreSQL ${Math.floor(version / 10_000)}; version 13 or newer is required.`;
    throw new RollcallError(message, { code: 'STORE_INVALID' });
  }
}

/** Attempts for a single statement that conflicts with another transaction. */
const triesOfStatement = 5;

/**
 * Kysely's PostgreSQL dialect with three differences. Errors say what to do and contain no values. A connection that
 * broke, or that leads to a server that became a standby, is never reused. A transaction whose connection was dead before
 * it began starts on another one.
 */
function postgresDialect(pool: Pool, place: string, begin: string): Dialect {
  return {
    createDriver: () => new PostgresPoolDriver(pool, place, begin),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
  };
}

function storable(value: unknown): unknown {
  return typeof value === 'string' && value.includes('\0') ? storableText(value) : value;
}

class PostgresPoolDriver implements Driver {
  readonly #pool: Pool;
  readonly #place: string;
  readonly #begin: string;

  constructor(pool: Pool, place: string, begin: string) {
    this.#pool = pool;
    this.#place = place;
    this.#begin = begin;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<PooledConnection> {
    try {
      return new PooledConnection(await this.#pool.connect(), this.#place);
    } catch (error) {
      throw explainPostgresError(error, this.#place);
    }
  }

  async beginTransaction(connection: PooledConnection, settings: TransactionSettings): Promise<void> {
    await connection.begin(
      settings.accessMode === 'read only' ? this.#begin.replace('begin', 'begin read only') : this.#begin,
    );
  }

  async commitTransaction(connection: PooledConnection): Promise<void> {
    await connection.end('commit');
  }

  async rollbackTransaction(connection: PooledConnection): Promise<void> {
    // A connection that cannot roll back is discarded, and the server undoes its transaction.
    await connection.end('rollback').catch(() => {});
  }

  async releaseConnection(connection: PooledConnection): Promise<void> {
    connection.release();
  }

  async destroy(): Promise<void> {
    await this.#pool.end();
  }
}

class PooledConnection implements DatabaseConnection {
  readonly #client: PoolClient;
  readonly #place: string;
  #isInTransaction = false;
  #isSpent = false;

  constructor(client: PoolClient, place: string) {
    this.#client = client;
    this.#place = place;
  }

  async begin(statement: string): Promise<void> {
    try {
      await this.#run(CompiledQuery.raw(statement));
      this.#isInTransaction = true;
    } catch (error) {
      const message = `the connection to the store ${this.#place} was dead before a transaction began; nothing was done.`;
      throw this.#isSpent ? new TryAgain(message, error) : explainPostgresError(error, this.#place);
    }
  }

  async end(statement: 'commit' | 'rollback'): Promise<void> {
    try {
      await this.executeQuery(CompiledQuery.raw(statement));
      this.#isInTransaction = false;
    } catch (error) {
      this.#isSpent = true;
      throw error;
    }
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#run<R>(query);
      } catch (error) {
        // A single statement is a transaction of its own. Within a transaction, only the whole can be retried.
        if (this.#isInTransaction || !isCollision(error) || attempt === triesOfStatement) {
          throw explainPostgresError(error, this.#place);
        }
      }
    }
  }

  // biome-ignore lint/correctness/useYield: the store pages by key, so that nothing stays open between two pieces.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('this dialect does not stream; page by key');
  }

  release(): void {
    this.#client.release(this.#isSpent);
  }

  async #run<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    try {
      const { command, rowCount, rows } = await this.#client.query(query.sql, query.parameters.map(storable));
      const isWrite = command === 'INSERT' || command === 'UPDATE' || command === 'DELETE';
      return { rows: rows as R[], ...(isWrite ? { numAffectedRows: BigInt(rowCount ?? 0) } : {}) };
    } catch (error) {
      if (isConnectionSpent(error)) this.#isSpent = true;
      throw error;
    }
  }
}
