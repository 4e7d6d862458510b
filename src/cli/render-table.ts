import { stripVTControlCharacters } from 'node:util';

/** Renders rows in columns, two blanks apart. Colors do not count. The last column is not padded. */
export function renderTable(rows: readonly (readonly string[])[], indent = ''): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, width(cell));
  }
  const line = (row: readonly string[]) =>
    row.map((cell, index) => (index === row.length - 1 ? cell : pad(cell, widths[index] ?? 0))).join('  ');
  return rows.map((row) => `${indent}${line(row)}`.trimEnd()).join('\n');
}

function pad(cell: string, columns: number): string {
  return cell + ' '.repeat(Math.max(0, columns - width(cell)));
}

function width(cell: string): number {
  return [...stripVTControlCharacters(cell)].length;
}
