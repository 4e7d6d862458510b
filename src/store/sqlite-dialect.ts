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
import { explainSqliteError, isBusy } from './sqlite-errors.ts';

/** Each try waits as long as the connection's busy timeout; in between, other work of this process goes on. */
const tries = 30;

/** Runs `work` again while another process has the file, then gives up with the driver's own error. */
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

/**
 * Kysely's SQLite dialect with three differences: transactions begin IMMEDIATE, because one that reads first and
 * writes later is refused instead of made to wait when another process wrote in between; statements are prepared once;
 * and schema changes count as transactional, which they are in SQLite, so that a store is migrated wholly or not at all.
 */
export function sqliteDialect(database: Sqlite.Database, file: string): Dialect {
  return {
    createDriver: () => new ImmediateDriver(new PreparingConnection(database, file), database),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new TransactionalAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
}

class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class ImmediateDriver implements Driver {
  readonly #connection: PreparingConnection;
  readonly #database: Sqlite.Database;

  constructor(connection: PreparingConnection, database: Sqlite.Database) {
    this.#connection = connection;
    this.#database = database;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }

  async beginTransaction(_: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    const statement = settings.accessMode === 'read only' ? 'begin' : 'begin immediate';
    await this.#connection.executeQuery(CompiledQuery.raw(statement));
  }

  async commitTransaction(): Promise<void> {
    await this.#connection.executeQuery(CompiledQuery.raw('commit'));
  }

  async rollbackTransaction(): Promise<void> {
    // A full disk or an I/O error has rolled back already; a second rollback would hide what happened.
    if (this.#database.inTransaction) await this.#connection.executeQuery(CompiledQuery.raw('rollback'));
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {
    this.#database.close();
  }
}

const mostStatements = 400;

class PreparingConnection implements DatabaseConnection {
  readonly #database: Sqlite.Database;
  readonly #file: string;
  readonly #statements = new Map<string, Sqlite.Statement<unknown[]>>();

  constructor(database: Sqlite.Database, file: string) {
    this.#database = database;
    this.#file = file;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    try {
      // Inside a transaction the file is ours: waiting there would only hold up everybody else.
      if (this.#database.inTransaction) return this.#run<R>(query);
      return await whenFree(() => this.#run<R>(query));
    } catch (error) {
      throw explainSqliteError(error, this.#file);
    }
  }

  // biome-ignore lint/correctness/useYield: the store pages by key, because an open cursor would keep the log from shrinking.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('this dialect does not stream; page by key');
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
