import Sqlite from 'better-sqlite3';
import { Kysely, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { expect, it, onTestFinished } from 'vitest';
import { type Migrations, migrations } from '../../src/store/db/migrations/index.ts';
import { SqliteConnection, sqliteDialect } from '../../src/store/db/sqlite-dialect.ts';
import { migrateStore } from '../../src/store/index.ts';
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
async function shapeAt(name: string, all: Migrations): Promise<ReadonlyMap<string, Column | undefined>> {
  const database = new Sqlite(':memory:');
  const db = new Kysely<unknown>({
    dialect: sqliteDialect({ writer: new SqliteConnection(database, ':memory:'), reader: undefined }),
  });
  onTestFinished(() => db.destroy());
  const { error } = await new Migrator({ db, provider: { getMigrations: async () => ({ ...all }) } }).migrateTo(name);
  expect(error).toBeUndefined();
  const tables = database.prepare("select name from sqlite_master where type = 'table'").pluck().all() as string[];
  const shape = new Map<string, Column | undefined>();
  for (const table of tables.filter((each) => !each.startsWith('kysely_'))) {
    shape.set(table, undefined);
    for (const { name: column, type, notnull, dflt_value, pk } of database.pragma(`table_info(${table})`) as Column[])
      shape.set(`${table}.${column}`, { name: column, type, notnull, dflt_value, pk });
    for (const index of database.pragma(`index_list(${table})`) as { name: string; unique: number }[]) {
      if (index.unique === 1) shape.set(`${table} unique ${index.name}`, undefined);
    }
  }
  return shape;
}

/** What a program that knows the migrations before the last one could not work with. */
async function breaksOfLast(all: Migrations): Promise<readonly string[]> {
  const [before = '', after = ''] = Object.keys(all).sort().slice(-2);
  const [old, now] = [await shapeAt(before, all), await shapeAt(after, all)];
  const tableOf = (name: string) => name.split(/[. ]/)[0] ?? '';
  const oldTables = new Set([...old.keys()].map(tableOf));
  const gone = [...old].filter(
    ([name, column]) => !now.has(name) || JSON.stringify(now.get(name)) !== JSON.stringify(column),
  );
  // A program that does not know a new column leaves it out, and a new unique index could refuse what it writes.
  const refused = [...now].filter(
    ([name, column]) =>
      !old.has(name) &&
      oldTables.has(tableOf(name)) &&
      (name.includes(' unique ') || (column?.notnull === 1 && column.dflt_value === null)),
  );
  return [...gone, ...refused].map(([name]) => name);
}

const upTo = (last: number) => Object.fromEntries(Object.entries(migrations).slice(0, last + 1));

it.each(names.slice(1).filter((name) => migrations[name]?.breaks === undefined))(
  'a program of before %s works on the tables after it: they only add',
  async (name) => expect(await breaksOfLast(upTo(names.indexOf(name)))).toEqual([]),
);

it.each([
  ['alter table leases add column later text', []],
  ["alter table leases add column later text not null default ''", []],
  ['create table later (id text not null)', []],
  ['alter table leases drop column owner', ['leases.owner']],
  ['alter table leases rename to turnstiles', expect.arrayContaining(['leases', 'leases.name'])],
  ['create unique index later on leases (owner)', ['leases unique later']],
])('that check finds what breaks in a migration that runs "%s"', async (statement, broken) => {
  const up = async (db: Kysely<unknown>) => void (await sql.raw(statement).execute(db));
  expect(await breaksOfLast({ ...migrations, '999-later': { up, since: '9.9.0' } })).toEqual(broken);
});

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
