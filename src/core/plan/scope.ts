/**
 * Casts a value to true or false as JSONata's `$boolean` does, so that a scope behaves as in JSONata. False values:
 * nothing, null, `''`, 0, an empty object, and a list without a true member.
 */
export function castToBoolean(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(castToBoolean);
  if (typeof value === 'object') return value !== null && Object.keys(value).length > 0;
  return typeof value !== 'function' && Boolean(value);
}
