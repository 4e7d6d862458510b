/** Formats a number and its noun for reasons and findings: `1 change`, `12 changes`. */
export function countOf(value: number, one: string, many = `${one}s`): string {
  return `${value} ${value === 1 ? one : many}`;
}
