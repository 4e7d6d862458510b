import { open } from 'node:fs/promises';
import type Sqlite from 'better-sqlite3';
import type { CustodyDocument, TokenCustody } from './custody.ts';

const busyTimeoutMs = 5000;

export interface SqliteCustodyOptions {
  /** The database file. Created with mode 0600 where it does not exist. It may hold other tables. */
  readonly path: string;
  /** Distinguishes connections in one database. Default `platform`. */
  readonly name?: string;
}

/** Keeps tokens in the table `rollcall_tokens` of an SQLite database. Opens it at the first use. */
export function openSqliteCustody({ path, name = 'platform' }: SqliteCustodyOptions): TokenCustody {
  let opening: Promise<Sqlite.Database> | undefined;
  const database = (): Promise<Sqlite.Database> => {
    opening ??= openDatabase(path).catch((error) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
  return {
    async read() {
      const select = 'select version, text from rollcall_tokens where name = ?';
      return (await database()).prepare<[string], CustodyDocument>(select).get(name);
    },
    async replace(seen, { version, text }) {
      const db = await database();
      if (seen === undefined) {
        const insert = 'insert into rollcall_tokens (name, version, text) values (?, ?, ?) on conflict do nothing';
        return db.prepare(insert).run(name, version, text).changes === 1;
      }
      const update = 'update rollcall_tokens set version = ?, text = ? where name = ? and version = ?';
      return db.prepare(update).run(version, text, name, seen).changes === 1;
    },
    async close() {
      const db = await opening;
      opening = undefined;
      db?.close();
    },
  };
}

async function openDatabase(path: string): Promise<Sqlite.Database> {
  // Loaded here, so that programs without this custody need no native module.
  const { default: Database } = await import('better-sqlite3');
  await (await open(path, 'a', 0o600)).close();
  const database = new Database(path, { timeout: busyTimeoutMs });
  try {
    // Syncs the folder too, so that a commit survives a power failure.
    database.pragma('synchronous = EXTRA');
    database.exec(
      'create table if not exists rollcall_tokens (name text primary key, version integer not null, text text not null) strict',
    );
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
