import { type Compilable, CompiledQuery, type InsertQueryBuilder, type InsertResult } from 'kysely';
import type { Database } from './database.ts';
import { isPostgres, rowsOfJson, storableText } from './differences.ts';
import type { Schema } from './schema.ts';

/** Rows per statement with one parameter per value: powers of two, so that few different statements are prepared. */
const largest = 128;

/** Rows per statement with one parameter for all rows: at most some megabytes. */
const largestOfJson = 2048;

type SqlValue = string | number | null;
type Insert<Table extends keyof Schema> = InsertQueryBuilder<Schema, Table, InsertResult>;

/**
 * Inserts many rows with few statements, and builds the text of each statement once per number of rows. Every row must
 * have the same keys in the same order. PostgreSQL gets the rows as one JSON text, which it parses faster than thousands
 * of parameters.
 */
export class RowWriter<Table extends keyof Schema, Row extends { readonly [K in keyof Row]: SqlValue }> {
  readonly #table: Table;
  readonly #finish: (insert: Insert<Table>) => Compilable;
  readonly #texts = new Map<number, string>();

  /** @param finish what to do about existing rows; by default they are a conflict */
  constructor(table: Table, finish: (insert: Insert<Table>) => Compilable = (insert) => insert) {
    this.#table = table;
    this.#finish = finish;
  }

  write(db: Database, rows: readonly Row[]): Promise<void> {
    return isPostgres(db) ? this.#writeJson(db, rows) : this.#writeValues(db, rows);
  }

  async #writeValues(db: Database, rows: readonly Row[]): Promise<void> {
    let from = 0;
    for (let size = largest; size >= 1; size /= 2) {
      for (; rows.length - from >= size; from += size) {
        const some = rows.slice(from, from + size);
        const text = this.#text(size, () => this.#finish(db.insertInto(this.#table).values(some as never)));
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
        return this.#finish(insert.expression(rowsOfJson(this.#table, columns) as never));
      });
      await db.executeQuery(CompiledQuery.raw(text, [toJson(some)]));
    }
  }

  #text(size: number, build: () => Compilable): string {
    const known = this.#texts.get(size);
    if (known !== undefined) return known;
    const text = build().compile().sql;
    this.#texts.set(size, text);
    return text;
  }
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
