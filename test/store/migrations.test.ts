import Sqlite from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { Migrator } from 'kysely/migration';
import { expect, it, onTestFinished } from 'vitest';
import { migrateStore } from '../../src/store/index.ts';
import { migrations } from '../../src/store/migrations/index.ts';
import { startPostgres } from '../support/services.ts';

interface Column {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  readonly dflt_value: string | null;
  readonly pk: number;
}

const names = Object.keys(migrations).sort();
const postgres = await startPostgres();

/** Every column, and every unique index, of a store that has had the migrations up to `name`. */
async function shapeAt(name: string): Promise<ReadonlyMap<string, Column | undefined>> {
  const database = new Sqlite(':memory:');
  const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database }) });
  onTestFinished(() => db.destroy());
  const provider = { getMigrations: async () => ({ ...migrations }) };
  const { error } = await new Migrator({ db, provider }).migrateTo(name);
  expect(error).toBeUndefined();
  const tables = database.prepare("select name from sqlite_master where type = 'table'").pluck().all() as string[];
  const shape = new Map<string, Column | undefined>();
  for (const table of tables.filter((each) => !each.startsWith('kysely_'))) {
    shape.set(table, undefined);
    for (const column of database.pragma(`table_info(${table})`) as Column[])
      shape.set(`${table}.${column.name}`, column);
    for (const index of database.pragma(`index_list(${table})`) as { name: string; unique: number }[]) {
      if (index.unique === 1) shape.set(`${table} unique ${index.name}`, undefined);
    }
  }
  return shape;
}

const additive = names.slice(1).map((name, index) => [names[index] ?? '', name] as const);

it.each(additive.filter(([, name]) => migrations[name]?.breaks === undefined))(
  'a program that knows %s works on the tables of %s: they only add to them',
  async (before, after) => {
    const old = await shapeAt(before);
    const now = await shapeAt(after);
    for (const [name, column] of old) expect([name, now.get(name)]).toEqual([name, column]);
    const oldTables = new Set([...old.keys()].map((name) => name.split(/[. ]/)[0]));
    for (const [name, column] of now) {
      if (old.has(name) || !oldTables.has(name.split(/[. ]/)[0])) continue;
      // A program that does not know the column leaves it out, and a new rule could refuse what it writes.
      expect({ name, isUnique: name.includes(' unique ') }).toEqual({ name, isUnique: false });
      expect({ name, mayBeAbsent: column?.notnull === 0 || column?.dflt_value !== null }).toEqual({
        name,
        mayBeAbsent: true,
      });
    }
  },
);

it.skipIf(postgres === undefined)(
  'of many that migrate one PostgreSQL store at once, one does and tells it',
  async () => {
    const url = (await postgres?.newDatabase()) ?? '';
    const told = await Promise.all(Array.from({ length: 5 }, () => migrateStore(url, { folder: '.' })));
    expect(told.filter(({ applied }) => applied.length > 0)).toMatchObject([{ from: undefined, applied: names }]);
    for (const { to, place } of told) {
      expect(to).toBe(names.at(-1));
      expect(url).toContain(new URL(url).password);
      expect(place).not.toContain(`:${new URL(url).password || 'none'}@`);
    }
  },
);
