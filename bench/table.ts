/** A head and rows of cells as lines, each column as wide as its widest cell, and to the right. */
export function alignedLines(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all.map((row) => row.map((text, column) => text.padStart(widths[column] ?? 0)).join('  '));
}
