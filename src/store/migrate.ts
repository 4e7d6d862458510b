import type { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import { RollcallError } from '../core/errors.ts';
import type { StoreMigration } from '../ports/store-migration.ts';
import { lockTables, mayMakeTables, tableNames } from './differences.ts';
import { migrations } from './migrations/index.ts';

/**
 * Brings a store to this version's tables, in one transaction that also keeps every other process out: of two that
 * open a new store at once, the second waits and finds it done. Throws `STORE_INVALID` for a store that a newer version
 * has changed, and for a database that is somebody else's. Gives what it found and did.
 */
export async function migrate(db: Kysely<unknown>, place: string): Promise<StoreMigration> {
  return db.transaction().execute(async (transaction) => {
    await lockTables(transaction);
    const before = await refuseForeign(transaction, place);
    const provider = { getMigrations: async () => ({ ...migrations }) };
    const { error, results = [] } = await new Migrator({ db: transaction, provider }).migrateToLatest();
    if (error instanceof RollcallError) throw error;
    if (error !== undefined) {
      const message = `the store ${place} could not be brought to this version's tables; it is as it was before. Keep a copy and report this.`;
      throw new RollcallError(message, { code: 'STORE_INVALID', cause: error });
    }
    const applied = results.map(({ migrationName }) => migrationName);
    const from = newestOf(before);
    return { place, from, to: newestOf([...before, ...applied]) ?? '', applied };
  });
}

/** Migrations are done in order of their names. */
function newestOf(names: readonly string[]): string | undefined {
  return names.toSorted().at(-1);
}

/** Gives the migrations that the store has had: none for a new one. */
async function refuseForeign(db: Kysely<unknown>, place: string): Promise<readonly string[]> {
  const tables = await tableNames(db);
  if (tables.length === 0) {
    if (await mayMakeTables(db)) return [];
    const message = `the user of the store ${place} may make no tables in it. Let that user own the database, or grant it "create" on its schema.`;
    throw new RollcallError(message, { code: 'STORE_INVALID' });
  }
  if (!tables.includes('kysely_migration')) {
    const some = tables.slice(0, 3).join(', ');
    const message = `${place} is a database of something else (it has the tables ${some}). Name another one under "store".`;
    throw new RollcallError(message, { code: 'STORE_INVALID' });
  }
  const done = await (db as Kysely<MigrationTable>).selectFrom('kysely_migration').select('name').execute();
  const names = done.map(({ name }) => name);
  const unknown = names.filter((name) => !(name in migrations));
  if (unknown.length > 0) {
    const message =
      `the store ${place} was made by a newer version of Rollcall (it knows ${unknown.join(', ')}, this version does ` +
      'not). Run that version again, or put back a backup made before it was installed.';
    throw new RollcallError(message, { code: 'STORE_INVALID' });
  }
  return names;
}

interface MigrationTable {
  kysely_migration: { name: string };
}
