import { type Kysely, PostgresAdapter, type QueryExecutorProvider, type RawBuilder, SqliteAdapter, sql } from 'kysely';

/** All that the two databases need said differently; everything else is the same SQL for both. */

export function isPostgres(db: QueryExecutorProvider): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}

/** Text that compares and sorts by code point, as SQLite's does by itself; PostgreSQL would sort by its locale. */
export function textType(db: Kysely<unknown>): RawBuilder<unknown> {
  return isPostgres(db) ? sql`text collate "C"` : sql`text`;
}

/** Rows kept in order of their key. PostgreSQL has no such tables; its index is read in order as well. */
export function inOrderOfKey(db: Kysely<unknown>): RawBuilder<unknown> {
  return db.getExecutor().adapter instanceof SqliteAdapter ? sql`without rowid` : sql``;
}

/**
 * Until its end, no other transaction that locks the same name goes on. SQLite lets one writer in at a time anyway;
 * PostgreSQL needs it where what a transaction reads decides what it writes and no row of its own stands for both.
 */
export async function lockName(db: QueryExecutorProvider, name: string): Promise<void> {
  if (!isPostgres(db)) return;
  await sql`select pg_advisory_xact_lock(hashtextextended(${`rollcall ${name}`}, 0))`.execute(db);
}

/** What people decide about a sync's changes, and the runs that ask them: a name for `lockName`. */
export function decisionsOf(sync: string): string {
  return `decisions ${sync}`;
}

/** The same for whoever changes tables, however long another one takes to. */
export async function lockTables(db: QueryExecutorProvider): Promise<void> {
  if (!isPostgres(db)) return;
  await sql`select set_config('lock_timeout', '0', true), set_config('statement_timeout', '0', true)`.execute(db);
  await lockName(db, 'tables');
}

/** Names of the tables where ours are or would be; other schemas and views (of extensions) are not our business. */
export async function tableNames(db: Kysely<unknown>): Promise<readonly string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!isPostgres(db)) return tables.map(({ name }) => name);
  const { rows } = await sql<{ schema: string | null }>`select current_schema() as schema`.execute(db);
  return tables.filter(({ isView, schema }) => !isView && schema === rows[0]?.schema).map(({ name }) => name);
}

/** Whether tables can be made at all: in PostgreSQL since 15, only the owner of a database can by default. */
export async function mayMakeTables(db: QueryExecutorProvider): Promise<boolean> {
  if (!isPostgres(db)) return true;
  const { rows } = await sql<{ may: boolean | null }>`
    select has_schema_privilege(current_schema(), 'create') as may`.execute(db);
  return rows[0]?.may === true;
}

/** Rows from one parameter: a JSON list of objects with these columns of the table. PostgreSQL only. */
export function rowsOfJson(table: string, columns: readonly string[]): RawBuilder<unknown> {
  const names = sql.join(columns.map((column) => sql.ref(column)));
  return sql`select ${names} from json_populate_recordset(null::${sql.table(table)}, ${''}::json)`;
}

/** Text as PostgreSQL can hold it: what a platform says of a refusal, say, may hold anything. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}
