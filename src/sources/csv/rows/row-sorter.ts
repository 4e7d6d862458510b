import type { SourceRecord } from '../../../core/person/person.ts';
import { RollcallError } from '../../../core/run/errors.ts';
import { countOf } from '../../../core/run/formats.ts';
import type { BrokenRecord, SourcePage } from '../../../ports/source.ts';
import type { CsvRow } from './row-parser.ts';
import { readTrailer, type Trailer } from './row-parser.ts';

/**
 * Turns rows into records and broken rows, one row late, because only the next row shows that a row is not the last.
 */
export interface RowSorter {
  take(rows: readonly CsvRow[]): SourcePage;
  /** Returns the last row. Must be called once, after all rows. */
  finish(end: { readonly hasLineEnd: boolean }): SourcePage;
  /** Data rows so far, including broken ones. */
  readonly rows: number;
  readonly trailer: Trailer | undefined;
  /** Why rows may be missing: the last row looks cut, or rows of several lines may hide others. Names lines only. */
  readonly doubts: readonly string[];
  /** What was corrected during the read. */
  readonly notes: readonly string[];
}

export interface RowSorterOptions {
  readonly columns: readonly string[];
  readonly delimiter: string;
  /** Start of the last record if it is a trailer; undefined when the file has none. */
  readonly trailerPrefix: string | undefined;
  /** Whether a last row without line end counts as cut even when it has all its columns. */
  readonly mustEndLine: boolean;
  /** Which records are requested; undefined for all. Others are counted but not returned. */
  readonly accepts: ((fields: SourceRecord['fields']) => boolean) | undefined;
}

export function createRowSorter(options: RowSorterOptions): RowSorter {
  const { columns, delimiter, trailerPrefix, mustEndLine, accepts } = options;
  let held: CsvRow | undefined;
  let rows = 0;
  let trailer: Trailer | undefined;
  const doubts: string[] = [];
  let swallowing = 0;
  let blank = 0;
  const toEmployee = openToEmployee(columns);

  const settle = (row: CsvRow, records: SourceRecord[], broken: BrokenRecord[]): void => {
    rows++;
    const at = `line ${row.line}`;
    const hidden = swallowedRows(row, columns.length, delimiter);
    if (hidden !== undefined) {
      swallowing++;
      if (swallowing <= namedDoubts) doubts.push(`${at}: ${hidden}`);
      // Its cells hold other people, so none of them may be written.
      broken.push({ at, reason: hidden });
      return;
    }
    if (row.cells.length !== columns.length) {
      broken.push({ at, reason: `the row has ${row.cells.length} columns, the header has ${columns.length}` });
      return;
    }
    const record = toEmployee.of(row, at);
    if (accepts === undefined || accepts(record.fields)) records.push(record);
  };

  return {
    get rows() {
      return rows;
    },
    get trailer() {
      return trailer;
    },
    get doubts() {
      const more = swallowing - namedDoubts;
      return more > 0 ? [...doubts, `${more} more rows of several lines may hide others`] : doubts;
    },
    get notes() {
      return toEmployee.notes();
    },
    take(taken) {
      const records: SourceRecord[] = [];
      const broken: BrokenRecord[] = [];
      for (const row of taken) {
        if (isBlank(row)) {
          blank++;
          if (blank > maxBlankRows) throw tooManyBlanks(row);
          continue;
        }
        if (held !== undefined) settle(held, records, broken);
        held = row;
      }
      return { records, broken };
    },
    finish({ hasLineEnd }) {
      const records: SourceRecord[] = [];
      const broken: BrokenRecord[] = [];
      if (held === undefined) return { records, broken };
      trailer = trailerPrefix === undefined ? undefined : readTrailer(held, trailerPrefix);
      if (trailer !== undefined) return { records, broken };
      if (!hasLineEnd && (mustEndLine || held.cells.length < columns.length)) {
        rows++;
        doubts.push(`the last row, line ${held.line}, has no line end: the file may be cut within it`);
        broken.push({ at: `line ${held.line}`, reason: 'the last row has no line end and may be cut' });
      } else {
        settle(held, records, broken);
      }
      return { records, broken };
    },
  };
}

/** More rows that may hide others are counted, not named. */
const namedDoubts = 5;

/** A spreadsheet that saves every row of its sheet writes 1,048,576. */
const maxBlankRows = 1_100_000;

function tooManyBlanks({ line }: CsvRow): RollcallError {
  const message =
    `the file has more than ${maxBlankRows} blank rows, the last one read in line ${line}: it is not an export of ` +
    'employees, or its export is broken. Correct the export';
  return new RollcallError(message, { code: 'SOURCE_UNAVAILABLE' });
}

/** Blank lines, and rows with only delimiters, which spreadsheets leave at the end. */
function isBlank(row: CsvRow): boolean {
  return row.cells.every((cell) => cell === '' || cell.trim() === '');
}

/**
 * Returns why a row of several lines may hide other rows, without values; undefined when it does not. Two quotes that
 * are not doubled can enclose whole rows and still be valid CSV. So a cell must not hold a line with as many delimiters
 * as the header, and at most one line of the row may have so many.
 */
function swallowedRows(row: CsvRow, columns: number, delimiter: string): string | undefined {
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

/** Makes the records of a file's rows. */
interface ToEmployee {
  /** Returns the record of a row that has a cell for each column. */
  of(row: CsvRow, at: string): SourceRecord;
  /** What was unusual about the cells, without values. */
  notes(): readonly string[];
}

function openToEmployee(columns: readonly string[]): ToEmployee {
  let unwrapped = 0;
  return {
    of({ cells }, at) {
      const fields: Record<string, string> = {};
      // An index loop: this runs for every cell of the file.
      for (let index = 0; index < columns.length; index++) {
        const cell = cells[index] ?? '';
        const isWrapped = cell.charCodeAt(0) === equalsSign && textFormula.test(cell);
        if (isWrapped) unwrapped++;
        fields[columns[index] ?? ''] = isWrapped ? cell.slice(2, -1).replaceAll('""', '"') : cell;
      }
      return { at, fields };
    },
    notes() {
      if (unwrapped === 0) return [];
      const cells = unwrapped === 1 ? '1 cell was' : `${unwrapped} cells were`;
      return [`${cells} written for a spreadsheet, as ="…"; the text between the quotes is used`];
    },
  };
}

const equalsSign = 0x3d;
/** Cells that exports write so that a spreadsheet keeps leading zeros: `="001234"`. */
const textFormula = /^="(?:[^"]|"")*"$/;
