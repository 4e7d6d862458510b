/** `1 change`, `12 changes`: a number and its noun, for reasons and findings. */
export function countOf(value: number, one: string, many = `${one}s`): string {
  return `${value} ${value === 1 ? one : many}`;
}
