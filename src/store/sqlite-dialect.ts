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
import type { SqliteConnection } from './sqlite-connection.ts';

/** The connections to one database. */
export interface SqliteConnections {
  /** The connection that writes. */
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
