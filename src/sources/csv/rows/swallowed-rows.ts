import { countOf } from '../../../core/run/count-of.ts';
import type { CsvRow } from './row-parser.ts';

/**
 * Returns why a row of several lines may hide other rows, without values; undefined when it does not. Two quotes that
 * are not doubled can enclose whole rows and still be valid CSV. So a cell must not hold a line with as many delimiters
 * as the header, and at most one line of the row may have so many.
 */
export function swallowedRows(row: CsvRow, columns: number, delimiter: string): string | undefined {
  if (row.lines === 1) return undefined;
  const isLikeRow = (line: string): boolean => line.split(delimiter).length >= columns;
  const inCells = row.cells.some((cell) => {
    const lines = cell.split(lineEnd);
    return lines.length > 1 && lines.some(isLikeRow);
  });
  const physical = row.cells.join(delimiter).split(lineEnd).filter(isLikeRow).length;
  if (!inCells && physical < 2) return undefined;
  const last = row.line + row.lines - 1;
  return (
    `a quoted cell runs to line ${last}, and ${countOf(Math.max(1, physical), 'line', 'lines')} of it ` +
    'look like rows of their own: a quote inside a cell is not doubled'
  );
}

const lineEnd = /\r\n|\n|\r/;
