import { RollcallError } from '../run/errors.ts';
import { type FieldName, fieldNames, fieldOrder, placeOfField } from './fields.ts';

/**
 * Values in the order of the fields, without names: half of the text. The first number is the version of that order. Any
 * other number is how many fields follow that have none.
 */
export type Packed<Value extends string | null = string> = readonly (Value | number)[];

/** Grows when the order changes. Texts of both orders are read then. */
const version = 1;

/** Returns values by position. A field whose value is undefined has none. */
export function pack<Value extends string | null>(values: Readonly<Partial<Record<FieldName, Value>>>): Packed<Value> {
  const cells: (Value | number)[] = [version];
  let next = 0;
  for (const key in values) {
    const name = key as FieldName;
    const value = values[name];
    if (value === undefined) continue;
    // Most fields follow each other.
    const place = fieldOrder[next] === name ? next : placeOfField(name);
    if (place < next) return pack(Object.fromEntries(fieldNames(values).map((one) => [one, values[one]])));
    if (place > next) cells.push(place - next);
    cells.push(value);
    next = place + 1;
  }
  return cells;
}

/** Returns the values that `pack` was given. Throws `STORE_INVALID` for those of another version. */
export function unpack<Value extends string | null = string>(cells: Packed<Value>): Partial<Record<FieldName, Value>> {
  if (cells[0] !== version) {
    const message = 'values in the store were written by another version of Rollcall. Use the version that wrote them';
    throw new RollcallError(message, { code: 'STORE_INVALID' });
  }
  const values: Partial<Record<FieldName, Value>> = {};
  let place = 0;
  for (let i = 1; i < cells.length; i += 1) {
    const cell = cells[i] as Value | number;
    if (typeof cell === 'number') place += cell;
    else values[fieldOrder[place++] as FieldName] = cell;
  }
  return values;
}
