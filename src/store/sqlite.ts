import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import Sqlite from 'better-sqlite3';
import { Kysely } from 'kysely';
import { RollcallError } from '../core/errors.ts';
import type { Database } from './database.ts';
import type { Schema } from './schema.ts';
import { SqliteConnection, whenFree } from './sqlite-connection.ts';
import { sqliteDialect } from './sqlite-dialect.ts';
import { explainSqliteError } from './sqlite-errors.ts';

/** How long SQLite itself waits for another process before it says so; this process stands still meanwhile. */
const busyTimeoutMs = 50;

/** Pages (4 KiB) of log before it is written back: 16 MiB, because with SQLite's 4 large ledgers take half as long again. */
const logPages = 4_000;

/**
 * Opens a SQLite database, `:memory:` or an absolute path; file and missing folders are made for this user alone.
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
    // Readers do not stop the writer, nor it them; the log is synced at every commit: a refreshed token or a batch that
    // is about to go out must still be there after a power cut.
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
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // SQLite would make it readable for everybody; the log and index files beside it take over its mode.
    closeSync(openSync(path, 'a', 0o600));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    const message = `the store ${path} cannot be made or written (${code}). Check the path under "store" and who owns its folder.`;
    throw new RollcallError(message, { code: 'STORE_INVALID', cause: error });
  }
}
