/** Thrown when a closure meets what it does not handle: JSONata itself must decide. Carries nothing, so it costs little. */
export const dissent: unique symbol = Symbol('JSONata must decide');

/** A number to calculate with. JSONata makes undefined or throws for all else. */
export function numeric(value: unknown): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw dissent;
}

/** JSONata's effective boolean of a scalar; undefined is false where a condition asks. */
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
      throw dissent;
  }
}

/** JSONata's `$string` of a scalar, with undefined as `''`: what `&` joins. */
export function asText(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
      // Fifteen digits hide the rounding of binary fractions: 0.1 + 0.2 is written 0.3.
      return JSON.stringify(Number.isInteger(value) ? value : Number(numeric(value).toPrecision(15)));
    case 'boolean':
      return String(value);
    case 'undefined':
      return '';
    default:
      if (value === null) return 'null';
      throw dissent;
  }
}

/** Equality of scalars; nothing equals or differs from undefined. */
export function isEqual(left: unknown, right: unknown, wanted: boolean): boolean {
  if (left === undefined || right === undefined) return false;
  return (passScalar(left) === passScalar(right)) === wanted;
}

/** Order of two strings or two numbers; undefined when a side is undefined. */
export function compare(left: unknown, right: unknown, accept: (order: number) => boolean): boolean | undefined {
  if (!isComparable(left) || !isComparable(right)) throw dissent;
  if (left === undefined || right === undefined) return undefined;
  if (typeof left !== typeof right) throw dissent;
  return accept(left < right ? -1 : left > right ? 1 : 0);
}

/** Whether a value is among the items; undefined items do not count. */
export function isIn(value: unknown, items: readonly unknown[]): boolean {
  return passScalar(value) !== undefined && items.includes(value);
}

/** Lets scalars, null and undefined through. */
export function passScalar(value: unknown): unknown {
  if (typeof value === 'object' && value !== null) throw dissent;
  if (typeof value === 'number') numeric(value);
  return value;
}

function isComparable(value: unknown): value is string | number | undefined {
  return value === undefined || typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value));
}
