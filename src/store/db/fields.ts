import type { Selectable, Updateable } from 'kysely';

type SqlValue = string | number | null;

/** Where a field of a record is stored. A string is the column, whose value is the field's. */
type Field<Row> =
  | (keyof Row & string)
  | {
      readonly column: keyof Row & string;
      /** `json`: as JSON text. `flag`: as 0 or 1. Absent: as it is. */
      readonly as?: 'json' | 'flag';
      /** Whether a record without a value lacks the field. Otherwise the field is undefined. */
      readonly isOptional?: true;
    };

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

export function fields<Value extends object, Row extends object>(
  stored: { readonly [Name in keyof Required<Value>]: Field<Row> },
): Fields<Value, Row> {
  const all = Object.entries<Field<Row>>(stored).map(([name, field]) => {
    return { name, as: undefined, isOptional: undefined, ...(typeof field === 'string' ? { column: field } : field) };
  });
  const toPatch = (patch: object): Updateable<Row> => {
    const given = patch as Readonly<Record<string, unknown>>;
    const named = all.filter(({ name }) => Object.hasOwn(patch, name));
    return Object.fromEntries(
      named.map(({ name, column, as }) => [column, toSql(given[name], as)]),
    ) as unknown as Updateable<Row>;
  };
  const nothing = Object.fromEntries(all.map(({ name }) => [name, undefined]));
  return {
    columns: all.map(({ column }) => column),
    toRow: (value) => toPatch({ ...nothing, ...value }) as Selectable<Row>,
    toPatch,
    fromRow(row) {
      const value: Record<string, unknown> = {};
      for (const { name, column, as, isOptional } of all) {
        const sql = (row as Readonly<Record<string, SqlValue | undefined>>)[column] ?? null;
        const isGiven = sql !== null && !(as === 'flag' && isOptional === true && sql === 0);
        if (isGiven) value[name] = fromSql(sql, as);
        else if (isOptional !== true) value[name] = undefined;
      }
      return value as Value;
    },
  };
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
