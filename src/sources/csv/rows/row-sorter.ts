import type { SourceRecord } from '../../../core/person/person.ts';
import { RollcallError } from '../../../core/run/errors.ts';
import { countOf } from '../../../core/run/formats.ts';
import { Refusal } from '../../../core/run/refusal.ts';
import { isColumnLabel } from '../../../core/setup/known-names.ts';
import type { BrokenRecord } from '../../../ports/source.ts';
import { replacement } from './decode.ts';
import { columnName, type Layout } from './open-rows.ts';
import { type CsvRow, readTrailer, type Trailer } from './row-parser.ts';

export interface RowSorterOptions {
  readonly layout: Layout;
  /** Start of the last record if it is a trailer; undefined when the file has none. */
  readonly trailerPrefix: string | undefined;
  /** How many of the last rows are no people. */
  readonly skipFooter: number;
  /** Whether a last row without line end counts as cut even when it has all its columns. */
  readonly mustEndLine: boolean;
  /** Which records are requested; undefined for all. Others are counted but not returned. */
  readonly accepts: ((fields: SourceRecord['fields']) => boolean) | undefined;
}

/**
 * Turns rows into records and broken rows, one row late, because only the next row shows that a row is not the last.
 */
export function createRowSorter(options: RowSorterOptions) {
  const { layout, trailerPrefix, skipFooter, mustEndLine, accepts } = options;
  const { columns, delimiter } = layout;
  const told = openNotes();
  const widths = openWidths(layout, told);
  const held: CsvRow[] = [];
  let rows = 0;
  let trailer: Trailer | undefined;
  const doubts: string[] = [];
  let swallowing = 0;
  let blank = 0;
  let unclosed: CsvRow | undefined;

  const settle = (row: CsvRow, records: SourceRecord[], broken: BrokenRecord[]): void => {
    if (isHeader(row, layout)) {
      told.add('headers');
      return;
    }
    rows++;
    const at = `line ${row.line}`;
    const hidden = swallowedRows(row, columns.length, delimiter);
    if (hidden !== undefined) {
      swallowing++;
      if (swallowing <= namedDoubts) doubts.push(`${at}: ${hidden}`);
      // Its cells hold other people, so none of them may be written.
      broken.push({ at, reason: hidden });
    } else if (row.isUnclosed === true) {
      unclosed = row;
      broken.push({ at, reason: neverClosed });
    } else if (!widths.fits(row)) {
      const cells = row.cells.map((cell) => cell.trim()).filter((cell) => cell !== '');
      const few = cells.length <= fewCells ? { cells } : {};
      broken.push({ at, reason: `the row has ${row.cells.length} columns, the header has ${columns.length}`, ...few });
    } else {
      // A row below shows that the file is not cut within the quote.
      unclosed = undefined;
      const record = { at, fields: fieldsOf(row, columns, told) };
      if (accepts === undefined || accepts(record.fields)) records.push(record);
    }
  };

  return {
    /** Data rows so far, including broken ones. */
    get rows() {
      return rows;
    },
    get trailer() {
      return trailer;
    },
    /** Why rows may be missing: the last row looks cut, or rows of several lines may hide others. Names lines only. */
    get doubts() {
      const more = swallowing - namedDoubts;
      const cut = unclosed === undefined ? [] : [`line ${unclosed.line}: ${neverClosed}`];
      return [...doubts, ...(more > 0 ? [`${more} more rows span several lines and may hide others`] : []), ...cut];
    },
    /** What was corrected during the read. */
    get notes() {
      return [...layout.notes, ...told.all()];
    },
    take(taken: readonly CsvRow[]) {
      const records: SourceRecord[] = [];
      const broken: BrokenRecord[] = [];
      for (const row of taken) {
        if (isBlank(row)) {
          blank++;
          if (blank > maxBlankRows) throw tooManyBlanks(row);
          continue;
        }
        held.push(row);
        if (held.length > skipFooter + 1) settle(held.shift() ?? row, records, broken);
      }
      return { records, broken };
    },
    /** Returns the last row. Must be called once, after all rows. */
    finish({ hasLineEnd }: { readonly hasLineEnd: boolean }) {
      const records: SourceRecord[] = [];
      const broken: BrokenRecord[] = [];
      let last = held.pop();
      let skipped = 0;
      for (; skipped < skipFooter && last !== undefined && isFooter(last, columns.length); skipped++) last = held.pop();
      for (const row of held) settle(row, records, broken);
      if (last === undefined) return { records, broken };
      trailer = trailerPrefix === undefined ? undefined : readTrailer(last, trailerPrefix);
      if (trailer !== undefined) return { records, broken };
      if (!hasLineEnd && skipped === 0 && (mustEndLine || last.cells.length < columns.length)) {
        rows++;
        doubts.push(`the last row, line ${last.line}, has no line end: the file may be cut within it`);
        broken.push({ at: `line ${last.line}`, reason: 'the last row has no line end and may be cut' });
      } else {
        settle(last, records, broken);
      }
      return { records, broken };
    },
  };
}

const neverClosed = 'an opening quote is never closed: the file is cut, or a quote inside a cell is not doubled';

/** A footer is no row of the list: a person has a value in most columns. */
export function isFooter({ cells }: Pick<CsvRow, 'cells'>, columns: number): boolean {
  return cells.filter((cell) => cell.trim() !== '').length * 2 <= columns;
}

/** A total has a label and at most two figures. */
const fewCells = 3;

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
 * Joined files and joined gzip members repeat the header, perhaps in other case. Some exports label the columns in a row
 * below it. Neither is a person.
 */
function isHeader({ cells }: CsvRow, { written }: Layout): boolean {
  const isName = (name = '', cell = ''): boolean => columnName(cell).toLowerCase() === name.toLowerCase();
  if (written.every((name, index) => isName(name, cells[index]))) return true;
  const isFilled = (cell: string): boolean => cell.trim() !== '';
  const first = cells.findIndex(isFilled);
  // Nearly every row begins with a number.
  if (first === -1 || /\d/.test(cells[first] ?? '') || cells.filter(isFilled).length < 3) return false;
  return cells.every((cell, index) => !isFilled(cell) || isName(written[index], cell) || isColumnLabel(cell));
}

/** What is reported as a count. Each sentence follows `1 cell` or `4 cells`. */
const notable = {
  formulas: ['cell', 'written for a spreadsheet, as ="…"; the text between the quotes is used'],
  misquoted: ['cell', 'a quote that is not doubled: unreadable. If the export uses none, set source.quote: none'],
  short: ['row', 'fewer cells than the header: the fields of the missing cells are kept'],
  wide: ['row', 'blank cells after the last column, which are ignored'],
  headers: ['row', 'a repeated header or column labels instead of a person'],
} as const;

type Notes = ReturnType<typeof openNotes>;

function openNotes() {
  const counts = new Map<keyof typeof notable, number>();
  return {
    add: (what: keyof typeof notable) => counts.set(what, (counts.get(what) ?? 0) + 1),
    all: () =>
      [...counts].map(([what, count]) => {
        const [noun, sentence] = notable[what];
        const verb = what === 'formulas' ? ['was', 'were'] : what === 'headers' ? ['is', 'are'] : ['has', 'have'];
        return `${countOf(count, `${noun} ${verb[0]}`, `${noun}s ${verb[1]}`)} ${sentence}`;
      }),
  };
}

/** Rows from which the forms of the columns are learned. */
const learnedRows = 500;

/** From so few rows nothing follows about blank cells. */
const enoughRows = 5;

/**
 * Accepts rows of as many cells as the header or, with blank cells at the end, as most rows. The cells of a row with more
 * or fewer must look more like the other cells of their columns than they would with a delimiter lost or added anywhere.
 */
function openWidths({ columns, usualWidth, isFrequent, delimiter }: Layout, told: Notes) {
  const seen: Set<string>[] = columns.map(() => new Set());
  const blank = new Set<number>();
  let learned = 0;
  const width = columns.length;
  const named = columns.findLastIndex((name) => name !== undefined) + 1;
  /** How much the cells from one index to another look like those of the columns that are `shift` to the left. */
  const likeness = (cells: readonly string[], from: number, to: number, shift: number): number => {
    let sum = 0;
    for (let index = from; index < to; index++) {
      const cell = cells[index]?.trim() ?? '';
      const known = cell === '' ? undefined : seen[index - shift];
      if (known?.has(formOf(cell)) === true) sum += known.has(cell) ? 2 : 1;
    }
    return sum;
  };
  const isInPlace = (cells: readonly string[], surplus: number): boolean => {
    const end = cells.findLastIndex((cell) => cell.trim() !== '') + 1;
    const isBlank = (index: number): boolean => (cells[index]?.trim() ?? '') === '';
    // A column that is blank nowhere else is not blank here.
    const judged = isFrequent(cells.length) ? columns.slice(0, cells.length) : columns;
    if (learned >= enoughRows && judged.some((_, index) => isBlank(index) && !blank.has(index))) return false;
    // Stray quotes make one cell of several.
    const isSeveral = (cell: string, index: number): boolean =>
      cell.includes(delimiter) && likeness(cells, index, index + 1, 0) === 0;
    if (cells.some(isSeveral)) return false;
    const isWide = surplus > 0;
    for (let off = 1; off <= Math.abs(surplus); off++) {
      // With too many cells, those from `at` on may be one. With too few, that one may hold several.
      for (let at = 0; at < (isWide ? end - 1 : end); at++) {
        const itself = likeness(cells, at, at + 1, 0);
        const here = likeness(cells, at + 1, end, 0) + (isWide ? Math.floor(itself / 2) : itself);
        const there = isWide ? likeness(cells, at + off + 1, end, off) : likeness(cells, at + 1, end, -off);
        if (there >= here) return false;
      }
    }
    return true;
  };
  const learn = (cells: readonly string[]): void => {
    learned++;
    for (const [index, known] of seen.entries()) {
      const cell = cells[index]?.trim() ?? '';
      if (cell === '') blank.add(index);
      else known.add(cell).add(formOf(cell));
    }
  };
  return {
    fits({ cells, misquoted }: CsvRow) {
      const { length } = cells;
      if (length === width) {
        if (learned < learnedRows) learn(cells);
        return true;
      }
      if (cells.slice(width).some((cell) => cell.trim() !== '') || misquoted !== undefined) return false;
      const isUsual = length === usualWidth && length > width;
      if (isUsual && learned < learnedRows) learn(cells);
      const isShortOfNames = length < named;
      if (!isUsual && (isShortOfNames || length > width) && !isInPlace(cells, length - width)) return false;
      if (length > width || isShortOfNames) told.add(length > width ? 'wide' : 'short');
      return true;
    },
  };
}

/** Returns the form of a cell: runs of letters as `a`, of digits as `9`. It cannot be equal to a cell. */
function formOf(cell: string): string {
  return `\0${cell.replace(/[\p{L}\p{M}]+/gu, 'a').replace(/\d+/g, '9')}`;
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

/** Returns the fields of a row. A cell that cannot be read is a refusal, which is trouble of this cell alone. */
function fieldsOf({ cells, misquoted }: CsvRow, columns: Layout['columns'], told: Notes): SourceRecord['fields'] {
  const fields: Record<string, string | Refusal> = {};
  const count = Math.min(columns.length, cells.length);
  // An index loop: this runs for every cell of the file.
  for (let index = 0; index < count; index++) {
    const name = columns[index];
    if (name === undefined) continue;
    const cell = cells[index] ?? '';
    const isFormula = cell.charCodeAt(0) === equalsSign && textFormula.test(cell);
    if (isFormula) told.add('formulas');
    fields[name] = isFormula
      ? cell.slice(2, -1).replaceAll('""', '"')
      : cell.includes(replacement)
        ? undecodable
        : cell;
  }
  for (const index of misquoted ?? []) {
    const name = columns[index];
    if (name !== undefined) fields[name] = notDoubled;
    told.add('misquoted');
  }
  return fields;
}

const undecodable = new Refusal(
  'damaged-text',
  'has a replacement character: its bytes are invalid, or an earlier program lost the character',
);
const notDoubled = new Refusal('damaged-text', 'has a quote that is not doubled');

const equalsSign = 0x3d;
/** Cells that exports write so that a spreadsheet keeps leading zeros: `="001234"`. */
const textFormula = /^="(?:[^"]|"")*"$/;
