/**
 * JSONata's cast of a value to true or false (its `$boolean`), so that a scope reads as in JSONata: nothing, null, `''`,
 * 0, an empty object, and a list without a true member are false.
 */
export function castToBoolean(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(castToBoolean);
  if (typeof value === 'object') return value !== null && Object.keys(value).length > 0;
  return typeof value !== 'function' && Boolean(value);
}
