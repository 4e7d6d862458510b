import { RollcallError } from '../../core/run/errors.ts';
import { firstOf } from '../../core/run/formats.ts';
import type { StoreMigration } from '../../ports/store-operations.ts';
import { columnsOf, type Database } from './database.ts';
import { columnNames, isReadOnly, lockTables, mayMakeTables, tableNames } from './differences.ts';
import { type Migrations, migrations } from './migrations/index.ts';
import { declaredTables } from './tables.ts';

/**
 * Brings a store to this version's tables in one transaction, which also excludes other processes: when two processes
 * open a new store at once, the second one waits and finds it done. Leaves compatible migrations of a newer version as
 * they are. Throws `STORE_INVALID` for a store that a newer version has changed incompatibly, and for a database of
 * another application.
 */
export async function migrate(db: Database, place: string, known = migrations): Promise<StoreMigration> {
  return db.transaction().execute(async (transaction) => {
    await lockTables(transaction);
    return migrateIn(transaction, place, known);
  });
}

/** As `migrate`, inside a transaction that holds the lock of the tables. */
export async function migrateIn(
  transaction: Database,
  place: string,
  known: Migrations = migrations,
): Promise<StoreMigration> {
  if (await isReadOnly(transaction)) throw (await import('./postgres-errors.ts')).readOnlyStore(place);
  const { executed, newer } = await readExecuted(transaction, place, known);
  // Most commands find the tables as they need them, and the migrator asks ten times.
  const isCurrent = Object.keys(known).every((name) => executed.includes(name));
  if (isCurrent) {
    await requireColumns(transaction, place);
    return { place, from: newestOf(executed), to: newestOf(executed) ?? '', applied: [] };
  }
  const { Migrator } = await import('kysely/migration');
  // The migrator refuses an executed migration that its provider lacks. These are executed already, so they never run.
  const others = Object.fromEntries(newer.map((name) => [name, { up: async () => {} }]));
  const { error, results = [] } = await new Migrator({
    db: transaction,
    provider: { getMigrations: async () => ({ ...others, ...known }) },
    // A release of an older line may have a migration whose name comes before those of a newer version.
    allowUnorderedMigrations: true,
  }).migrateToLatest();
  if (error instanceof RollcallError) throw error;
  if (error !== undefined) {
    const message = `the store ${place} could not be migrated to this version. Nothing in it was changed. Keep a copy of it and report this.`;
    throw new RollcallError(message, { code: 'STORE_INVALID', cause: error });
  }
  const applied = results.map(({ migrationName }) => migrationName);
  if (applied.length > 0) await recordCompatibility(transaction, known);
  await requireColumns(transaction, place);
  return { place, from: newestOf(executed), to: newestOf([...executed, ...applied]) ?? '', applied };
}

/** What an operator gives up with a store. The platform accepts only the newest refresh token of a connection. */
export const onlyHere =
  'What is only in this store is the newest refresh token of each connection: any other store, and any backup, needs a new first token';

/** Throws `STORE_INVALID` for a store of a version that had other tables under the same names of migrations. */
async function requireColumns(db: Database, place: string): Promise<void> {
  const has = await columnNames(db);
  const missing = declaredTables.flatMap((table) =>
    columnsOf(table).flatMap((column) => (has.get(table)?.has(column) === true ? [] : [`${table}.${column}`])),
  );
  if (missing.length === 0) return;
  const some = firstOf(missing.slice(0, 3), missing.length).join(', ');
  const message = `the store ${place} has the tables of another version of Rollcall (without ${some}), and this version cannot use it. Nothing in it was changed. Run the version that made it, or set "store" to a new one. ${onlyHere}.`;
  throw new RollcallError(message, { code: 'STORE_INVALID' });
}

/** Migrations run in order of their names. */
function newestOf(names: readonly string[]): string | undefined {
  return names.toSorted().at(-1);
}

/** Returns the executed migrations. Throws `STORE_INVALID` unless the database is a store for this version, or empty. */
export async function readExecuted(db: Database, place: string, known = migrations) {
  const tables = await tableNames(db);
  if (tables.length === 0) {
    if (await mayMakeTables(db)) return { executed: [], newer: [] };
    const message = `the database user of the store ${place} is not allowed to create tables. Make that user the owner of the database, or grant it "create" on the schema.`;
    throw new RollcallError(message, { code: 'STORE_INVALID' });
  }
  if (!tables.includes('kysely_migration')) {
    const some = tables.slice(0, 3).join(', ');
    const message = `${place} is the database of another application (it has the tables ${some}). Set "store" to a database of its own.`;
    throw new RollcallError(message, { code: 'STORE_INVALID' });
  }
  const rows = await db
    .withTables<{ kysely_migration: { name: string } }>()
    .selectFrom('kysely_migration')
    .select('name')
    .execute();
  const executed = rows.map(({ name }) => name);
  return {
    /** Empty for a new store. */
    executed,
    /** Those that only a newer version knows. */
    newer: await findNewerMigrations(db, place, { executed, tables, known }),
  };
}

/**
 * Returns the executed migrations that only a newer version knows and that leave the store usable for this one. Throws
 * `STORE_INVALID` when one of them breaks older versions, or does not say. `tables` are the tables of the store, `known`
 * the migrations of this version.
 */
async function findNewerMigrations(
  db: Database,
  place: string,
  {
    executed,
    tables,
    known,
  }: { readonly executed: readonly string[]; readonly tables: readonly string[]; readonly known: Migrations },
): Promise<readonly string[]> {
  const newer = executed.filter((name) => !Object.hasOwn(known, name)).toSorted();
  if (newer.length === 0) return [];
  const rows = tables.includes('schema_compatibility')
    ? await db.selectFrom('schema_compatibility').selectAll().execute()
    : [];
  for (const name of newer) {
    const row = rows.find(({ migration }) => migration === name);
    if (row !== undefined && row.breaks === null) continue;
    const since = row === undefined ? '' : ` (since Rollcall ${row.since})`;
    const why = row?.breaks ?? 'it does not say whether older versions can use the store';
    const wanted = row === undefined ? 'the newer version' : `Rollcall ${row.since} or later`;
    const message =
      `the store ${place} was changed by a newer version of Rollcall, and this version cannot use it. The migration ` +
      `${name}${since} is not compatible: ${why}. Run ${wanted}, or restore a backup from before the upgrade. ${onlyHere}.`;
    throw new RollcallError(message, { code: 'STORE_INVALID' });
  }
  return newer;
}

/** Records, for versions that do not know this version's migrations, whether each one leaves the store usable. */
async function recordCompatibility(db: Database, known: Migrations): Promise<void> {
  const rows = Object.entries(known).map(([migration, { since, breaks = null }]) => ({
    migration,
    since,
    breaks,
  }));
  await db
    .insertInto('schema_compatibility')
    .values(rows)
    .onConflict((conflict) => conflict.column('migration').doNothing())
    .execute();
}
