import { PostgresAdapter, type QueryExecutorProvider, type RawBuilder, sql } from 'kysely';

/** The statements that differ between the two databases. All other SQL is the same for both. */

export function isPostgres(db: QueryExecutorProvider): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}

/**
 * Blocks other transactions that lock the same name until this one ends. SQLite allows only one writer anyway.
 * PostgreSQL needs the lock where a transaction decides by reading and no row of its own represents the decision.
 */
export async function lockName(db: QueryExecutorProvider, name: string): Promise<void> {
  if (!isPostgres(db)) return;
  await sql`select pg_advisory_xact_lock(hashtextextended(${`rollcall ${name}`}, 0))`.execute(db);
}

/** Name for `lockName` that covers the decisions about a sync's changes and the runs that apply them. */
export function decisionsOf(sync: string): string {
  return `decisions ${sync}`;
}

/** Locks schema changes, without a time limit on waiting for another process that changes the schema. */
export async function lockTables(db: QueryExecutorProvider): Promise<void> {
  if (!isPostgres(db)) return;
  await sql`select set_config('lock_timeout', '0', true), set_config('statement_timeout', '0', true)`.execute(db);
  await lockName(db, 'tables');
}

/** Returns whether the database refuses every write of this transaction: a standby, or set so by its administrator. */
export async function isReadOnly(db: QueryExecutorProvider): Promise<boolean> {
  if (!isPostgres(db)) return false;
  const { rows } = await sql<{ is: string }>`select current_setting('transaction_read_only') as "is"`.execute(db);
  return rows[0]?.is === 'on';
}

/** Returns the names of tables in our schema. Ignores other schemas, and views, which belong to extensions. */
export async function tableNames(db: QueryExecutorProvider): Promise<readonly string[]> {
  const names = isPostgres(db)
    ? sql<{ name: string }>`select tablename as name from pg_tables where schemaname = current_schema() order by 1`
    : sql<{
        name: string;
      }>`select name from sqlite_schema where type = 'table' and name not glob 'sqlite_*' order by 1`;
  return (await names.execute(db)).rows.map(({ name }) => name);
}

/** Returns the columns of every table in our schema. */
export async function columnNames(db: QueryExecutorProvider): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const names = isPostgres(db)
    ? sql<{ table: string; name: string }>`
        select table_name as "table", column_name as name from information_schema.columns
        where table_schema = current_schema()`
    : sql<{ table: string; name: string }>`
        select s.name as "table", c.name from sqlite_schema s, pragma_table_info(s.name) c where s.type = 'table'`;
  const { rows } = await names.execute(db);
  return new Map(
    [...Map.groupBy(rows, ({ table }) => table)].map(([table, its]) => [table, new Set(its.map(({ name }) => name))]),
  );
}

/** Returns whether this user may create tables. Since PostgreSQL 15, only the owner of a database may by default. */
export async function mayMakeTables(db: QueryExecutorProvider): Promise<boolean> {
  if (!isPostgres(db)) return true;
  const { rows } = await sql<{ may: boolean | null }>`
    select has_schema_privilege(current_schema(), 'create') as may`.execute(db);
  return rows[0]?.may === true;
}

/** Selects rows from one parameter, a JSON list of objects with these columns of the table. PostgreSQL only. */
export function rowsOfJson(table: string, columns: readonly string[]): RawBuilder<unknown> {
  const names = sql.join(columns.map((column) => sql.ref(column)));
  return sql`select ${names} from json_populate_recordset(null::${sql.table(table)}, ${''}::json)`;
}

/** Replaces what PostgreSQL cannot store in text. A refusal quoted from a platform may contain anything. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}
