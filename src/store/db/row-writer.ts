import {
  type Compilable,
  CompiledQuery,
  type Insertable,
  type InsertQueryBuilder,
  type InsertResult,
  type RawBuilder,
  type SqlBool,
  sql,
} from 'kysely';
import { type Database, keyOf, type Schema } from './database.ts';
import { isPostgres, rowsOfJson, storableText } from './differences.ts';

/** Rows per statement with one parameter per value: powers of two, so that few different statements are prepared. */
const largest = 128;

/** Rows per statement with one parameter for all rows: at most some megabytes. */
const largestOfJson = 2048;

type SqlValue = string | number | null;
type Insert<Table extends keyof Schema> = InsertQueryBuilder<Schema, Table, InsertResult>;

/** `refuse`: it is a conflict. `where`: it is replaced if that is true, or always. */
type OnExisting = 'refuse' | { readonly where: RawBuilder<SqlBool> | undefined };

/** Existing rows are replaced. */
export const replace = { where: undefined } as const;

/**
 * Inserts many rows with few statements, and builds the text of each statement once per number of rows. Every row must
 * have the same keys in the same order. PostgreSQL gets the rows as one JSON text, which it parses faster than thousands
 * of parameters.
 */
export class RowWriter<Table extends keyof Schema, Row extends { readonly [K in keyof Row]: SqlValue }> {
  readonly #table: Table;
  readonly #onExisting: OnExisting;
  readonly #texts = new Map<number, string>();

  /** @param onExisting what happens to a row with the same key */
  constructor(table: Table, onExisting: OnExisting = 'refuse') {
    this.#table = table;
    this.#onExisting = onExisting;
  }

  write(db: Database, rows: readonly Row[]): Promise<void> {
    return isPostgres(db) ? this.#writeJson(db, rows) : this.#writeValues(db, rows);
  }

  async #writeValues(db: Database, rows: readonly Row[]): Promise<void> {
    let from = 0;
    for (let size = largest; size >= 1; size /= 2) {
      for (; rows.length - from >= size; from += size) {
        const some = rows.slice(from, from + size);
        const text = this.#text(size, () => this.#finish(db.insertInto(this.#table).values(some as never), some[0]));
        await db.executeQuery(CompiledQuery.raw(text, some.flatMap(values)));
      }
    }
  }

  async #writeJson(db: Database, rows: readonly Row[]): Promise<void> {
    for (let from = 0; from < rows.length; from += largestOfJson) {
      const some = rows.slice(from, from + largestOfJson);
      const text = this.#text(0, () => {
        const columns = Object.keys(some[0] ?? {});
        const insert = db.insertInto(this.#table).columns(columns as never);
        return this.#finish(insert.expression(rowsOfJson(this.#table, columns) as never), some[0]);
      });
      await db.executeQuery(CompiledQuery.raw(text, [toJson(some)]));
    }
  }

  #finish(insert: Insert<Table>, row: Row | undefined): Compilable {
    if (this.#onExisting === 'refuse' || row === undefined) return insert;
    const { where } = this.#onExisting;
    const key: readonly string[] = keyOf(this.#table);
    const others = Object.keys(row).filter((name) => !key.includes(name));
    return insert.onConflict((conflict) => {
      const update = conflict
        .columns(key as never)
        .doUpdateSet(
          (eb) => Object.fromEntries(others.map((name) => [name, eb.ref(`excluded.${name}` as never)])) as never,
        );
      return where === undefined ? update : update.where(where);
    });
  }

  #text(size: number, build: () => Compilable): string {
    const known = this.#texts.get(size);
    if (known !== undefined) return known;
    const text = build().compile().sql;
    this.#texts.set(size, text);
    return text;
  }
}

/** Inserts the row, or replaces the one with the same key. */
export async function put<Table extends keyof Schema>(
  db: Database,
  table: Table,
  row: Insertable<Schema[Table]>,
): Promise<void> {
  const key: readonly string[] = keyOf(table);
  const others = Object.fromEntries(Object.entries(row).filter(([name]) => !key.includes(name)));
  await db
    .insertInto(table)
    .values(row as never)
    .onConflict((conflict) => conflict.columns(key as never).doUpdateSet(others as never))
    .execute();
}

/** Inserts the row unless there is one with the same key, or value of `unique`. Returns whether it did. */
export async function addNew<Table extends keyof Schema>(
  db: Database,
  table: Table,
  row: Insertable<Schema[Table]>,
  unique: readonly (keyof Schema[Table] & string)[] = keyOf(table),
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto(table)
    .values(row as never)
    .onConflict((conflict) => conflict.columns(unique as never).doNothing())
    .executeTakeFirstOrThrow();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** A condition in SQL: these columns have the values of the row. */
export function isSameRow(columns: readonly string[], row: Readonly<Record<string, unknown>>): RawBuilder<SqlBool> {
  const same = columns.map((name) => sql`${sql.ref(name)} = ${row[name]}`);
  return sql`${sql.join(same, sql` and `)}`;
}

function values(row: object): SqlValue[] {
  return Object.values(row) as SqlValue[];
}

/** Replaces lone surrogates and U+0000, which PostgreSQL cannot store, by the replacement character. */
function toJson(rows: readonly object[]): string {
  const text = JSON.stringify(rows);
  if (!/\\u(d[89a-f]|0000)/.test(text)) return text;
  return JSON.stringify(rows, (_, value: unknown) => (typeof value === 'string' ? storableText(value) : value));
}

/**
 * Cuts a list of names for `in (…)` into pieces of at most `max`. A short piece is padded with its last name to the next
 * power of two, which does not change the result and keeps the number of different statements small.
 */
export function* inLists(names: readonly string[], max = 256): Generator<readonly string[]> {
  for (let from = 0; from < names.length; from += max) {
    const some = names.slice(from, from + max);
    const last = some.at(-1);
    if (last === undefined) return;
    const size = 2 ** Math.ceil(Math.log2(some.length));
    yield [...some, ...Array.from({ length: size - some.length }, () => last)];
  }
}
