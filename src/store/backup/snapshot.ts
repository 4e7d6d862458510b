import { existsSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import type { ClientBase } from 'pg';
import { RollcallError } from '../../core/run/errors.ts';
import { explainSqliteError } from '../db/errors.ts';
import { whenFree } from '../db/sqlite-dialect.ts';
import { declaredTables, isDeclared } from '../db/tables.ts';
import type { BackupPart, SqlValue } from './backup-file.ts';

/** Rows that are read before other work gets a turn, or with one statement. */
const rowsAtOnce = 1000;

/**
 * Yields the whole database as it is at one instant, while other processes continue to write. Changes nothing in it, and
 * does not migrate it.
 */
export async function* readSqlite(path: string, version: string, now: () => number): AsyncGenerator<BackupPart> {
  let database: Sqlite.Database | undefined;
  if (!existsSync(path)) throw noStore(`there is no store at ${path}`);
  try {
    const opened = new Sqlite(path, { readonly: true, fileMustExist: true });
    database = opened;
    // The first read fixes the state that the transaction sees.
    await whenFree(() => opened.exec('begin'));
    const names = opened.prepare("select name from sqlite_schema where type = 'table'").pluck().all() as string[];
    const madeAt = new Date(now()).toISOString();
    requireStore(names, path);
    const list = opened.prepare('select name from kysely_migration order by name').pluck().all() as string[];
    yield { kind: 'header', header: { madeAt, version, database: 'sqlite', migrations: list } };
    for (const table of inOrder(names.filter((name) => !name.startsWith('sqlite_')))) {
      const statement = opened.prepare(`select * from "${table}"`).raw();
      yield { kind: 'table', table, columns: statement.columns().map(({ name }) => name) };
      let read = 0;
      for (const row of statement.iterate()) {
        yield { kind: 'row', row: row as SqlValue[] };
        if (++read % rowsAtOnce === 0) await nextTurn();
      }
    }
  } catch (error) {
    throw explainSqliteError(error, path);
  } finally {
    database?.close();
  }
}

/** Yields the tables of the schema as they are at one instant, as `readSqlite` does. */
export async function* readPostgres(url: string, folder: string, version: string): AsyncGenerator<BackupPart> {
  const [{ explainPostgresError }, { openPostgresSession }] = await Promise.all([
    import('../db/postgres-errors.ts'),
    import('../db/postgres.ts'),
  ]);
  const { client, place, close } = await openPostgresSession(url, folder);
  try {
    await client.query('begin isolation level repeatable read read only');
    // A slow disk may make the server wait between two pieces.
    await client.query("select set_config('idle_in_transaction_session_timeout', '0', true)");
    const names = await column(
      client,
      'select tablename as name from pg_tables where schemaname = current_schema() order by tablename',
    );
    const [now] = await column(client, 'select (extract(epoch from clock_timestamp()) * 1000)::bigint as name');
    requireStore(names, place);
    const migrations = await column(client, 'select name from kysely_migration order by name');
    const madeAt = new Date(Number(now)).toISOString();
    yield { kind: 'header', header: { madeAt, version, database: 'postgres', migrations } };
    for (const table of inOrder(names)) yield* readTable(client, table);
    await client.query('commit');
  } catch (error) {
    throw explainPostgresError(error, place);
  } finally {
    await close();
  }
}

async function* readTable(client: ClientBase, table: string): AsyncGenerator<BackupPart> {
  await client.query(`declare piece no scroll cursor for select * from "${table}"`);
  let columns: string[] | undefined;
  for (;;) {
    const { rows, fields } = await client.query({ text: `fetch ${rowsAtOnce} from piece`, rowMode: 'array' });
    if (columns === undefined) {
      columns = fields.map(({ name }) => name);
      yield { kind: 'table', table, columns };
    }
    for (const row of rows) yield { kind: 'row', row: row as SqlValue[] };
    if (rows.length < rowsAtOnce) break;
  }
  await client.query('close piece');
}

async function column(client: ClientBase, text: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(text);
  return rows.map(({ name }) => name);
}

/**
 * Returns the tables in an order in which a restore can insert their rows. Leaves out those of the migrator, because the
 * header names the migrations.
 */
function inOrder(names: readonly string[]): string[] {
  const others = names.filter((name) => !isDeclared(name) && !name.startsWith('kysely_'));
  return [...declaredTables.filter((name) => names.includes(name)), ...others];
}

function requireStore(names: readonly string[], place: string): void {
  if (names.includes('kysely_migration')) return;
  throw noStore(`${place} is not a store of Rollcall, or it is empty: there is nothing to take from it`);
}

function noStore(what: string): RollcallError {
  return new RollcallError(`${what}. Nothing was changed. Check the address of the store.`, { code: 'STORE_INVALID' });
}
