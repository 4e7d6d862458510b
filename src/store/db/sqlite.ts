import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import Sqlite from 'better-sqlite3';
import { Kysely } from 'kysely';
import { RollcallError } from '../../core/run/errors.ts';
import type { Database } from './database.ts';
import { explainSqliteError } from './errors.ts';
import type { Schema } from './schema.ts';
import { SqliteConnection, sqliteDialect, whenFree } from './sqlite-dialect.ts';

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
