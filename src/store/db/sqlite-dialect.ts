import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type TransactionSettings,
} from 'kysely';
import { RollcallError } from '../../core/run/errors.ts';
import type { Database, Schema } from './database.ts';
import { explainSqliteError, isBusy } from './errors.ts';

/** Each attempt waits for the connection's busy timeout. Other work of this process runs in between. */
const tries = 600;

/** Runs `work` again while another process locks the file, then throws the driver's own error. */
export async function whenFree<T>(work: () => T): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || attempt === tries) throw error;
    }
    await nextTurn();
  }
}

const mostStatements = 400;
/** Rows read or written before other work of this process gets a turn: some milliseconds. */
const rowsPerTurn = 512;
/** Cost of a statement besides its rows, measured in rows. */
const statementCost = 4;

/**
 * A connection of the synchronous driver, which would block the event loop of this process. After some hundred rows it
 * yields to the event loop, also inside a transaction. Statements are prepared once.
 */
export class SqliteConnection {
  readonly #database: Sqlite.Database;
  readonly #file: string;
  readonly #statements = new Map<string, Sqlite.Statement<unknown[]>>();
  #rows = 0;

  constructor(database: Sqlite.Database, file: string) {
    this.#database = database;
    this.#file = file;
  }

  get inTransaction(): boolean {
    return this.#database.inTransaction;
  }

  async execute<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const result = await this.#whenFree<R>(query);
    this.#rows += statementCost + result.rows.length + Number(result.numAffectedRows ?? 0);
    if (this.#rows < rowsPerTurn) return result;
    this.#rows = 0;
    await nextTurn();
    return result;
  }

  close(): void {
    this.#database.close();
  }

  async #whenFree<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    try {
      // Inside a transaction this connection holds the lock, so waiting would only delay others.
      if (this.#database.inTransaction) return this.#run<R>(query);
      return await whenFree(() => this.#run<R>(query));
    } catch (error) {
      throw explainSqliteError(error, this.#file);
    }
  }

  #run<R>(query: CompiledQuery): QueryResult<R> {
    // Tables are made by one text of many statements, and only one statement can be prepared.
    if (query.sql.startsWith('create table')) {
      this.#database.exec(query.sql);
      return { rows: [] };
    }
    const statement = this.#prepare(query.sql);
    if (statement.reader) return { rows: statement.all(...query.parameters) as R[] };
    const { changes } = statement.run(...query.parameters);
    return { rows: [], numAffectedRows: BigInt(changes) };
  }

  #prepare(sql: string): Sqlite.Statement<unknown[]> {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare<unknown[]>(sql);
    const oldest = this.#statements.keys().next();
    if (this.#statements.size >= mostStatements && !oldest.done) this.#statements.delete(oldest.value);
    this.#statements.set(sql, statement);
    return statement;
  }
}

export interface SqliteConnections {
  readonly writer: SqliteConnection;
  /**
   * The connection that reads outside transactions and sees committed data. Undefined where a database can have only one
   * connection (`:memory:`): then readers wait for writers.
   */
  readonly reader: SqliteConnection | undefined;
}

/**
 * Kysely's SQLite dialect with four differences. Transactions begin IMMEDIATE, because SQLite refuses one that reads
 * first and writes after another process wrote, instead of letting it wait. Statements are prepared once. Readers do not
 * wait for a transaction, which yields to other work before it ends. Schema changes count as transactional, which they
 * are in SQLite, so that a store is migrated completely or not at all.
 */
export function sqliteDialect(connections: SqliteConnections): Dialect {
  return {
    createDriver: () => new SessionDriver(connections),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new TransactionalAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
}

class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }

  /** Sessions ensure themselves that only one of them writes at a time. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

class SessionDriver implements Driver {
  readonly #connections: SqliteConnections;
  readonly #turns = new Turns();

  constructor(connections: SqliteConnections) {
    this.#connections = connections;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<Session> {
    return new Session(this.#connections, this.#turns);
  }

  beginTransaction(session: Session, settings: TransactionSettings): Promise<void> {
    return session.begin(settings.accessMode === 'read only' ? 'begin' : 'begin immediate');
  }

  async commitTransaction(session: Session): Promise<void> {
    await session.executeQuery(CompiledQuery.raw('commit'));
  }

  async rollbackTransaction(session: Session): Promise<void> {
    // A full disk or an I/O error has rolled back already. A second rollback would hide the error.
    if (this.#connections.writer.inTransaction) await session.executeQuery(CompiledQuery.raw('rollback'));
  }

  async releaseConnection(session: Session): Promise<void> {
    session.end();
  }

  async destroy(): Promise<void> {
    this.#connections.reader?.close();
    this.#connections.writer.close();
  }
}

/** Grants the right to write, in the order of requests. */
class Turns {
  #last: Promise<void> = Promise.resolve();

  /** Resolves when it is the caller's turn. The turn lasts until the caller calls the returned function. */
  async take(): Promise<() => void> {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    await before;
    return resolve;
  }
}

/** One use of the database: a query, or a transaction that owns the writing connection until it ends. */
class Session implements DatabaseConnection {
  readonly #connections: SqliteConnections;
  readonly #turns: Turns;
  #release: (() => void) | undefined;

  constructor(connections: SqliteConnections, turns: Turns) {
    this.#connections = connections;
    this.#turns = turns;
  }

  async begin(statement: string): Promise<void> {
    this.#release = await this.#turns.take();
    await this.#connections.writer.execute(CompiledQuery.raw(statement));
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { reader, writer } = this.#connections;
    if (this.#release !== undefined) return writer.execute<R>(query);
    if (reader !== undefined && query.query.kind === 'SelectQueryNode') return reader.execute<R>(query);
    const release = await this.#turns.take();
    try {
      return await writer.execute<R>(query);
    } finally {
      release();
    }
  }

  end(): void {
    this.#release?.();
    this.#release = undefined;
  }

  // biome-ignore lint/correctness/useYield: the store pages by key, because an open cursor would keep the log from shrinking.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('this dialect does not stream; page by key');
  }
}

/** How long SQLite itself waits for another process. It blocks this process meanwhile. */
const busyTimeoutMs = 50;

/** Log pages (4 KiB) before a checkpoint: 16 MiB. With SQLite's default of 4 MiB, large ledgers take 1.5 times as long. */
const logPages = 4_000;

/**
 * Opens a SQLite database, `:memory:` or an absolute path. Creates the file and missing folders for this user only.
 * Throws `STORE_INVALID` when it cannot be opened and written.
 */
export async function openSqlite(path: string): Promise<Database> {
  if (path !== ':memory:') makeFile(path);
  const opened: Sqlite.Database[] = [];
  const open = (): Sqlite.Database => {
    const database = new Sqlite(path, { timeout: busyTimeoutMs });
    opened.push(database);
    return database;
  };
  try {
    const database = open();
    // Readers and the writer do not block each other. The log is synced at every commit: a refreshed token, or a batch
    // that is about to be sent, must survive a power cut.
    await whenFree(() => database.pragma('journal_mode = WAL'));
    database.pragma('synchronous = FULL');
    database.pragma('foreign_keys = ON');
    database.pragma(`wal_autocheckpoint = ${logPages}`);
    const writer = new SqliteConnection(database, path);
    const reader = path === ':memory:' ? undefined : new SqliteConnection(forReading(open()), path);
    return new Kysely<Schema>({ dialect: sqliteDialect({ writer, reader }) });
  } catch (error) {
    for (const database of opened) database.close();
    throw explainSqliteError(error, path);
  }
}

function forReading(database: Sqlite.Database): Sqlite.Database {
  database.pragma('query_only = ON');
  return database;
}

function makeFile(path: string): void {
  try {
    makeFolder(dirname(path));
    // SQLite would make it readable for all users. The log and index files get the mode of this file.
    closeSync(openSync(path, 'a', 0o600));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    const cause = fileProblems[code];
    const why = cause === undefined ? '' : `, because ${cause}`;
    const message = `the store ${path} cannot be created or written${why} (${code}). Check the path under "store" and the owner of its folder.`;
    throw new RollcallError(message, { code: 'STORE_INVALID', cause: error });
  }
}

/** Creates the folder and those above it. The recursive mkdir of Node.js never returns where the kernel allows no folder (/proc). */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!existsSync(folder)) throw error;
  }
}

/** Causes by the code of the system, as the end of a sentence. */
const fileProblems: Readonly<Record<string, string>> = {
  ENOENT: 'no folder can be created at this place',
  EEXIST: 'a part of the path is a link without a target',
  ENOTDIR: 'a part of the path is a file',
  EISDIR: 'the path is a folder',
  EROFS: 'the file system is read-only',
  EACCES: 'this user does not have the right',
  EPERM: 'this user does not have the right',
  ENOSPC: 'the disk is full',
};
