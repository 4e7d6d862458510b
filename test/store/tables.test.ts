import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { keyOf } from '../../src/store/db/schema.ts';
import { type DeclaredColumn, declaredColumns, declaredTables } from '../../src/store/db/tables.ts';
import { openStore } from '../../src/store/index.ts';
import { someInstant as now } from '../support/fake-clock.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface Column {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  readonly pk: number;
}

async function openNew() {
  const folder = await temporaryFolder();
  const store = await openStore('sqlite:rollcall.db', { folder });
  const raw = new Sqlite(join(folder, 'rollcall.db'));
  onTestFinished(() => void raw.close());
  onTestFinished(() => store.close());
  const columnsOf = (table: string) => raw.pragma(`table_info(${table})`) as Column[];
  return { store, raw, columnsOf };
}

/** What a column can hold that names the person `E7`. */
function namingText({ table, name, isExact, forgotten }: DeclaredColumn): string | undefined {
  if (isExact) return 'E7';
  if (table === 'directory_pages') return JSON.stringify([['E7', 'Ana', '', 's', 'active', 1]]);
  if (table === 'changes' && name === 'personal') return '[null,{"job":"as E7"},"E7 has another job",null]';
  if (forgotten === 'unlisted') return JSON.stringify({ kind: 'users', identifications: ['E7', 'E77'] });
  return forgotten === undefined ? undefined : JSON.stringify(['of (E7), not of E77']);
}

describe('the declaration of the tables', () => {
  it('has every table with its primary key, and only columns that exist', async () => {
    const { raw, columnsOf } = await openNew();
    const names = raw.prepare("select name from sqlite_schema where type = 'table' and name not like 'kysely%'");
    expect([...declaredTables].sort()).toEqual(names.pluck().all().sort());
    for (const table of declaredTables) {
      const columns = columnsOf(table);
      const key = columns.filter(({ pk }) => pk > 0).sort((one, other) => one.pk - other.pk);
      expect([table, keyOf(table)]).toEqual([table, key.map(({ name }) => name)]);
      const declared = declaredColumns(table).map(({ name }) => name);
      expect(columns.map(({ name }) => name)).toEqual(expect.arrayContaining(declared));
    }
  });

  it('names every place of a person: after forget, nothing in the database does', async () => {
    const { store, raw, columnsOf } = await openNew();
    raw.pragma('foreign_keys = off');
    for (const table of declaredTables) {
      const naming = declaredColumns(table).map((column) => [column.name, namingText(column)] as const);
      const row = Object.fromEntries(
        columnsOf(table).flatMap(({ name, type, notnull, pk }) => {
          const text = naming.find(([column]) => column === name)?.[1];
          if (text !== undefined) return [[name, text]];
          return notnull === 1 || pk > 0 ? [[name, type === 'TEXT' ? '{}' : 1]] : [];
        }),
      );
      if (naming.length === 0) continue;
      const names = Object.keys(row);
      const values = names.map((name) => `@${name}`);
      raw.prepare(`insert into ${table} (${names.join()}) values (${values.join()})`).run(row);
    }
    const found = () =>
      declaredTables.filter((table) => /\bE7\b/.test(JSON.stringify(raw.prepare(`select * from ${table}`).all())));
    expect(found()).toEqual(
      expect.arrayContaining(['changes', 'findings', 'ledger', 'raw_texts', 'triggers', 'alert_states', 'batches']),
    );
    await store.people.forget('E7', now);
    expect(found()).toEqual([]);
    const kept = raw.prepare('select scope, scope_key from triggers').get();
    expect(kept).toEqual({
      scope: JSON.stringify({ kind: 'users', identifications: ['E77'] }),
      scope_key: '["of ((forgotten)), not of E77"]',
    });
  });
});
