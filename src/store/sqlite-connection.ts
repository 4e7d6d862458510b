import { setImmediate as nextTurn } from 'node:timers/promises';
import type Sqlite from 'better-sqlite3';
import type { CompiledQuery, QueryResult } from 'kysely';
import { explainSqliteError, isBusy } from './sqlite-errors.ts';

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
