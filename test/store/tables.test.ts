import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { keyOf } from '../../src/store/db/database.ts';
import { type DeclaredColumn, declaredColumns, declaredTables, tables } from '../../src/store/db/tables.ts';
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
  /** Adds one row. Columns without a given value get any, where they need one. */
  const insert = (table: string, given: ReadonlyMap<string, string | undefined>): void => {
    raw.pragma('foreign_keys = off');
    const row = Object.fromEntries(
      columnsOf(table).flatMap(({ name, type, notnull, pk }) => {
        const text = given.get(name);
        if (text !== undefined) return [[name, text]];
        return notnull === 1 || pk > 0 ? [[name, type === 'TEXT' ? '{}' : 1]] : [];
      }),
    );
    const names = Object.keys(row);
    const values = names.map((name) => `@${name}`);
    raw.prepare(`insert into ${table} (${names.join()}) values (${values.join()})`).run(row);
  };
  return { store, raw, columnsOf, insert };
}

const ledBy = (main: string): string => JSON.stringify({ main, secondary: ['E77'], checkedAt: 1 });

/** What a column can hold that names the person `E7`. */
function namingText({ table, name, isExact, forgotten }: DeclaredColumn): string | undefined {
  if (isExact) return 'E7';
  if (table === 'directory_pages') return JSON.stringify([['E7', 'Ana', '', 's', 'active', 1]]);
  if (name === 'leaders') return ledBy('E7');
  if (table === 'changes' && name === 'personal') return '[null,[1,5,"as E7"],"E7 has another job",null]';
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
    const { store, raw, insert } = await openNew();
    for (const table of declaredTables) {
      const naming = declaredColumns(table).flatMap((column) => [
        [column.name, namingText(column)] as const,
        ...(column.actions ?? []).map((action) => ['action', action] as const),
      ]);
      if (naming.length > 0) insert(table, new Map(naming));
    }
    const personal = '[["",true,[1,72,"E7"],null],[1,72,""],"",null]';
    insert(
      'ledger',
      new Map([
        ['identification', 'E8'],
        ['leaders', ledBy('E7')],
      ]),
    );
    insert(
      'changes',
      new Map([
        ['identification', 'E8'],
        ['part', 'leaders'],
        ['personal', personal],
      ]),
    );
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
    const led = raw.prepare("select leaders from ledger where identification = 'E8'").pluck().get();
    expect(led).toMatch(/"main":"forgotten:[0-9a-f]{64}"/);
  });

  it('names everything that hangs on the name of a sync: a rename moves all of it, or nothing', async () => {
    const { store, raw, insert } = await openNew();
    const connection = 'acme';
    for (const table of declaredTables) {
      const { sync } = tables[table];
      if (sync !== undefined)
        insert(
          table,
          new Map([[sync, 'people'], ...(table === 'ledger' ? [['connection', connection] as const] : [])]),
        );
    }
    insert('alert_states', new Map([['subject', 'sync people']]));
    insert('tokens', new Map([['connection', 'source people']]));
    const dump = () =>
      JSON.stringify(declaredTables.map((table) => [table, raw.prepare(`select * from ${table}`).all()]));
    const order = { from: 'people', to: 'staff', connection };
    const entry = { id: 'audit_1', at: now, by: 'ops', action: 'rename-sync', detail: 'was people' } as const;
    const audited = { ...entry, sync: 'staff', connection: undefined, run: undefined };
    expect(await store.syncNames.isUsed(order)).toBe(true);
    // The audit has an entry of this id, so that the transaction fails at its end.
    const before = dump();
    await expect(store.syncNames.rename(order, { ...audited, id: '{}' })).rejects.toThrow();
    expect(dump()).toBe(before);
    await expect(store.syncNames.rename({ ...order, connection: 'other' }, audited)).rejects.toThrow('acme');
    expect(dump()).toBe(before);
    expect(await store.syncNames.rename(order, audited)).toBe(true);
    expect(dump()).not.toMatch(/:"(sync |source )?people"/);
    const cells = (text: string, name: string): number =>
      text.match(new RegExp(`:"(sync |source )?${name}"`, 'g'))?.length ?? 0;
    // The audit entry comes on top, with the name of now and of then.
    expect(cells(dump(), 'staff')).toBe(cells(before, 'people') + 2);
    expect([await store.syncNames.isUsed(order), await store.syncNames.rename(order, audited)]).toEqual([false, false]);
  });
});
