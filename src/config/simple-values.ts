/** Thrown for a value that a closure does not handle, so that JSONata evaluates the record. It has no stack, so it is cheap. */
export const notHandled: unique symbol = Symbol('JSONata evaluates this record');

/** Returns a number for arithmetic. JSONata returns undefined or throws for any other value. */
export function numeric(value: unknown): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw notHandled;
}

/** Returns JSONata's effective boolean of a scalar. Undefined is false in a condition. */
export function asBoolean(value: unknown): boolean {
  switch (typeof value) {
    case 'boolean':
      return value;
    case 'string':
      return value !== '';
    case 'number':
      return numeric(value) !== 0;
    case 'undefined':
      return false;
    default:
      if (value === null) return false;
      throw notHandled;
  }
}

/** Returns JSONata's `$string` of a scalar, and `''` for undefined, as `&` joins them. */
export function asText(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
      // Fifteen digits hide the rounding of binary fractions: 0.1 + 0.2 becomes 0.3.
      return JSON.stringify(Number.isInteger(value) ? value : Number(numeric(value).toPrecision(15)));
    case 'boolean':
      return String(value);
    case 'undefined':
      return '';
    default:
      if (value === null) return 'null';
      throw notHandled;
  }
}

/** Compares scalars for equality. Undefined neither equals nor differs from anything. */
export function isEqual(left: unknown, right: unknown, wanted: boolean): boolean {
  if (left === undefined || right === undefined) return false;
  return (passScalar(left) === passScalar(right)) === wanted;
}

/** Compares two strings or two numbers. Returns undefined when a side is undefined. */
export function compare(left: unknown, right: unknown, accept: (order: number) => boolean): boolean | undefined {
  if (!isComparable(left) || !isComparable(right)) throw notHandled;
  if (left === undefined || right === undefined) return undefined;
  if (typeof left !== typeof right) throw notHandled;
  return accept(left < right ? -1 : left > right ? 1 : 0);
}

/** Returns whether a value is among the items. Undefined items do not count. */
export function isIn(value: unknown, items: readonly unknown[]): boolean {
  return passScalar(value) !== undefined && items.includes(value);
}

/** Returns scalars, null and undefined, and throws `notHandled` for the rest. */
export function passScalar(value: unknown): unknown {
  if (typeof value === 'object' && value !== null) throw notHandled;
  if (typeof value === 'number') numeric(value);
  return value;
}

function isComparable(value: unknown): value is string | number | undefined {
  return value === undefined || typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value));
}
