import type { Selectable, Updateable } from 'kysely';
import { columnsOf, type Schema } from './database.ts';

type SqlValue = string | number | null;

/**
 * How a field is stored. `json`: as JSON text. `flag`: as 0 or 1. `optional`: a record without a value lacks the field.
 * Otherwise the field is undefined then.
 */
type Form = 'json' | 'flag' | 'optional' | 'optional json' | 'optional flag';

/** The name of the column of a field: `startedAt` is in `started_at`. */
type ColumnOf<Field extends string> = Field extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${ColumnOf<Rest>}`
  : Field;

/** The columns that are not named after their field, with the field. Null: it holds no field of the record. */
type Renamed<Value, Row> = {
  readonly [Column in Exclude<keyof Row, ColumnOf<keyof Value & string>>]: (keyof Value & string) | null;
} & { readonly [Column in keyof Row]?: (keyof Value & string) | null };

/** Translates between the records of a port and the rows of a table. Null in a row is undefined in a record. */
export interface Fields<Value, Row> {
  /** The columns of the record. A row may have others. */
  readonly columns: readonly (keyof Row & string)[];
  /** Returns the row. Columns that the record does not have are absent: the caller adds them, or their default counts. */
  toRow(value: Value): Selectable<Row>;
  /** Returns only the columns that the patch names. A value of undefined empties the column. */
  toPatch(patch: Partial<Value>): Updateable<Row>;
  fromRow(row: Partial<Selectable<Row>>): Value;
}

export function fields<Value extends object, Table extends keyof Schema>(
  table: Table,
  renamed: Renamed<Value, Schema[Table]>,
  forms: { readonly [Name in keyof Value]?: Form } = {},
): Fields<Value, Schema[Table]> {
  const all = columnsOf(table).flatMap((column) => {
    const name = (renamed as Readonly<Record<string, string | null>>)[column];
    if (name === null) return [];
    return [storedField(name ?? fieldOf(column), column, forms as Readonly<Record<string, Form>>)];
  });
  const toPatch = (patch: object): Updateable<Schema[Table]> => {
    const given = patch as Readonly<Record<string, unknown>>;
    const named = all.filter(({ name }) => Object.hasOwn(patch, name));
    return Object.fromEntries(named.map(({ name, column, as }) => [column, toSql(given[name], as)])) as never;
  };
  const nothing = Object.fromEntries(all.map(({ name }) => [name, undefined]));
  return {
    columns: all.map(({ column }) => column),
    toRow: (value) => toPatch({ ...nothing, ...value }) as Selectable<Schema[Table]>,
    toPatch,
    fromRow(row) {
      const value: Record<string, unknown> = {};
      for (const { name, column, as, isOptional } of all) {
        const sql = (row as Readonly<Record<string, SqlValue | undefined>>)[column] ?? null;
        const isGiven = sql !== null && !(as === 'flag' && isOptional && sql === 0);
        if (isGiven) value[name] = fromSql(sql, as);
        else if (!isOptional) value[name] = undefined;
      }
      return value as Value;
    },
  };
}

function fieldOf(column: string): string {
  return column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function storedField<Column>(name: string, column: Column, forms: Readonly<Record<string, Form>>) {
  const form = forms[name] ?? '';
  const as = form.endsWith('json') ? ('json' as const) : form.endsWith('flag') ? ('flag' as const) : undefined;
  return { name, column, as, isOptional: form.startsWith('optional') };
}

function toSql(value: unknown, as: 'json' | 'flag' | undefined): SqlValue {
  if (as === 'flag') return value === true ? 1 : 0;
  if (value === undefined) return null;
  return as === 'json' ? JSON.stringify(value) : (value as SqlValue);
}

function fromSql(value: string | number, as: 'json' | 'flag' | undefined): unknown {
  if (as === 'flag') return value === 1;
  return as === 'json' ? JSON.parse(String(value)) : value;
}
