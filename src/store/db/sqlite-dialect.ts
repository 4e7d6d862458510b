import { setImmediate as nextTurn } from 'node:timers/promises';
import type Sqlite from 'better-sqlite3';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type TransactionSettings,
} from 'kysely';
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
