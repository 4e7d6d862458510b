import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type TransactionSettings,
} from 'kysely';
import type { Pool, PoolClient } from 'pg';
import { storableText } from './differences.ts';
import { explainPostgresError, isCollision, isConnectionSpent, TryAgain } from './errors.ts';

/** Attempts for a single statement that conflicts with another transaction. */
const tries = 5;

/**
 * Kysely's PostgreSQL dialect with three differences. Errors say what to do and contain no values. A connection that
 * broke, or that leads to a server that became a standby, is never reused. A transaction whose connection was dead before
 * it began starts on another one.
 */
export function postgresDialect(pool: Pool, place: string): Dialect {
  return {
    createDriver: () => new PostgresPoolDriver(pool, place),
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

  constructor(pool: Pool, place: string) {
    this.#pool = pool;
    this.#place = place;
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
    await connection.begin(settings.accessMode === 'read only' ? 'begin read only' : 'begin');
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
        if (this.#isInTransaction || !isCollision(error) || attempt === tries) {
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
