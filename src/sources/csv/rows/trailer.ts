import type { CsvRow } from './row-parser.ts';

/** The file's last record, when it counts the others: `T;1234` or `#rows=1234`. */
export interface Trailer {
  readonly line: number;
  readonly rows: number;
}

/** Reads a row as a trailer that starts with `prefix`; undefined when it is not one. */
export function readTrailer(row: CsvRow, prefix: string): Trailer | undefined {
  const [first = '', ...rest] = row.cells.map((cell) => cell.trim());
  const filled = rest.filter((cell) => cell !== '');
  const count = filled.length === 1 && first === prefix.trim() ? filled[0] : undefined;
  const written = count ?? (filled.length === 0 && first.startsWith(prefix) ? first.slice(prefix.length) : undefined);
  if (written === undefined || !/^\s*\d{1,15}\s*$/.test(written)) return undefined;
  return { line: row.line, rows: Number(written) };
}
