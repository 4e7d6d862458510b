import type { StoreMigration } from '../../src/ports/store-operations.ts';
import type { Database, OpenDatabase } from '../../src/store/db/database.ts';
import { tableNames } from '../../src/store/db/differences.ts';
import { migrate } from '../../src/store/db/migrate.ts';
import { migrations, type SchemaMigration } from '../../src/store/db/migrations/index.ts';
import { openDatabase } from '../../src/store/open-store.ts';

/** The tables of a store with its data: none that says which migrations the store has had. */
export async function tablesOf(db: Database): Promise<readonly string[]> {
  const tables = await tableNames(db);
  return tables.filter((table) => !table.startsWith('kysely_') && table !== 'schema_compatibility');
}

/** The migration of a later version: it adds a table, and columns to every other one. */
const later: SchemaMigration = {
  since: '9.9.0',
  async up(db) {
    for (const table of await tableNames(db)) {
      if (table.startsWith('kysely_')) continue;
      await db.schema.alterTable(table).addColumn('later_text', 'text').execute();
      await db.schema
        .alterTable(table)
        .addColumn('later_count', 'integer', (column) => column.notNull().defaultTo(7))
        .execute();
    }
    await db.schema
      .createTable('later_things')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .execute();
  },
};

/** Brings a store to the tables of a version that has one more migration than this one. */
export function migrateOpened(
  { db, place }: OpenDatabase,
  { name = '999-later', ...changed }: Partial<SchemaMigration> & { readonly name?: string } = {},
): Promise<StoreMigration> {
  const known = { ...migrations, [name]: { ...later, ...changed } };
  return migrate(db, place, known);
}

export async function migrateLater(
  url: string,
  changed?: Parameters<typeof migrateOpened>[1],
): Promise<StoreMigration> {
  const opened = await openDatabase(url, { folder: '.' });
  return migrateOpened(opened, changed).finally(() => opened.db.destroy());
}
