/** Reads a count from an answer, a number or text. */
export function countIn(value: unknown): number | undefined {
  const count = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}

/**
 * Returns the doubt about a count that is there and is no count, which may be the sign of an answer in trouble. A count
 * that is absent or null is none. `name`: where the answer has it.
 */
export function countDoubts(value: unknown, name: string): readonly string[] {
  if (value === undefined || value === null || countIn(value) !== undefined) return [];
  return [`${name} is not a whole number, so it does not show how many people there are`];
}
