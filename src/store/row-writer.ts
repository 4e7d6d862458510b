import { type Compilable, CompiledQuery } from 'kysely';
import type { Database } from './database.ts';

/** Rows per statement: powers of two, so that few different statements are ever prepared. */
const largest = 128;

type SqlValue = string | number | null;

/**
 * Inserts many rows with few statements, and builds each statement's text once per number of rows. Every row must have
 * the same keys in the same order.
 */
export class RowWriter<Row extends { readonly [K in keyof Row]: SqlValue }> {
  readonly #build: (db: Database, rows: readonly Row[]) => Compilable;
  readonly #texts = new Map<number, string>();

  constructor(build: (db: Database, rows: readonly Row[]) => Compilable) {
    this.#build = build;
  }

  async write(db: Database, rows: readonly Row[]): Promise<void> {
    let from = 0;
    for (let size = largest; size >= 1; size /= 2) {
      for (; rows.length - from >= size; from += size) {
        const some = rows.slice(from, from + size);
        await db.executeQuery(CompiledQuery.raw(this.#text(db, some), some.flatMap(values)));
      }
    }
  }

  #text(db: Database, rows: readonly Row[]): string {
    const known = this.#texts.get(rows.length);
    if (known !== undefined) return known;
    const text = this.#build(db, rows).compile().sql;
    this.#texts.set(rows.length, text);
    return text;
  }
}

function values(row: object): SqlValue[] {
  return Object.values(row) as SqlValue[];
}

/**
 * Cuts a list of names for `in (…)`, at most `most` at a time. A short piece is filled up with its last name to the
 * next power of two, which changes nothing in the answer and keeps the number of different statements small.
 */
export function* inLists(names: readonly string[], most = 256): Generator<readonly string[]> {
  for (let from = 0; from < names.length; from += most) {
    const some = names.slice(from, from + most);
    const last = some.at(-1);
    if (last === undefined) return;
    const size = 2 ** Math.ceil(Math.log2(some.length));
    yield [...some, ...Array.from({ length: size - some.length }, () => last)];
  }
}
