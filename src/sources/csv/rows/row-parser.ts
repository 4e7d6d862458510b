import { setImmediate as nextTurn } from 'node:timers/promises';
import { type CsvError, parse } from 'csv-parse';

/** One record of the file as cells. `line` is its first line, counted from 1; `lines` is how many it covers. */
export interface CsvRow {
  readonly line: number;
  readonly lines: number;
  readonly cells: readonly string[];
}

/** Rows completed by some bytes. `failure` describes the following row, at which the read ended. */
export interface ParsedRows {
  readonly rows: readonly CsvRow[];
  readonly failure?: { readonly line: number; readonly reason: string };
}

export interface RowParser {
  push(bytes: Buffer): Promise<ParsedRows>;
  end(): Promise<ParsedRows>;
  close(): void;
}

/** A longer record has an unclosed quote, which would otherwise swallow the file. */
const maxRecordLength = 1_000_000;

/** The parser makes an error with a stack for each row of another width, so a file of such rows would take minutes. */
const maxOddRows = 50_000;

/** Rows that are parsed before other work of this process runs. Far more than a chunk of ordinary rows has. */
const rowsPerTurn = 2_000;

/** Ends the parser from within. */
class TooManyOddRows extends Error {
  readonly code = 'TOO_MANY_ODD_ROWS';
}

/**
 * Parses RFC 4180 strictly, with any line end: quotes only around whole cells and doubled inside. Accepts UTF-8.
 * Returns rows of any length, and blank lines as one blank cell; the caller knows the header.
 */
export function createRowParser(options: {
  readonly delimiter: string;
  readonly quote: string | null;
  readonly firstLine: number;
  /** Cells may hold quotes without being quoted themselves, as in `="001234"`. */
  readonly mayQuoteInside?: boolean;
}): RowParser {
  let rows: CsvRow[] = [];
  let line = options.firstLine;
  let linesBefore = 1;
  const parser = parse({
    delimiter: options.delimiter,
    quote: options.quote,
    escape: options.quote,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: options.mayQuoteInside === true,
    max_record_size: maxRecordLength,
    // Rows are taken here and not from the stream, because an array push is cheaper than the stream's queue.
    on_record: (cells: string[]) => {
      // The parser counts a CR LF inside quotes as two lines, so longer records are counted here.
      const lines = parser.info.lines === linesBefore ? 1 : 1 + lineEndsWithin(cells);
      rows.push({ line, lines, cells });
      line += lines;
      linesBefore = parser.info.lines + 1;
      if (parser.info.invalid_field_length > maxOddRows) throw new TooManyOddRows();
      return undefined;
    },
  });
  let failure: Error | undefined;
  parser.on('error', (error) => {
    failure = error;
  });
  parser.resume();
  const take = (): ParsedRows => {
    const taken = rows;
    rows = [];
    return failure === undefined ? { rows: taken } : { rows: taken, failure: { line, reason: describe(failure) } };
  };
  const write = (bytes: Buffer): Promise<void> =>
    new Promise((resolve) => {
      parser.write(bytes, (error) => {
        failure ??= error ?? undefined;
        resolve();
      });
    });
  return {
    async push(bytes) {
      for (let from = 0; from < bytes.length && failure === undefined; ) {
        const to = endOfRows(bytes, from);
        await write(from === 0 && to === bytes.length ? bytes : bytes.subarray(from, to));
        if (to < bytes.length) await nextTurn();
        from = to;
      }
      return take();
    },
    end: () =>
      new Promise((resolve) => {
        if (parser.closed) {
          resolve(take());
          return;
        }
        parser.once('close', () => resolve(take()));
        parser.end();
      }),
    close: () => {
      parser.destroy();
    },
  };
}

const lineFeed = 10;
const carriageReturn = 13;

/** Returns where a turn's worth of lines ends. */
function endOfRows(bytes: Buffer, from: number): number {
  const lineEnd = bytes.includes(lineFeed, from) ? lineFeed : carriageReturn;
  let to = from;
  for (let rows = 0; rows < rowsPerTurn; rows++) {
    to = bytes.indexOf(lineEnd, to) + 1;
    if (to === 0) return bytes.length;
  }
  return to;
}

function lineEndsWithin(cells: readonly string[]): number {
  return cells.reduce((count, cell) => count + (cell.match(/\r\n|\n|\r/g)?.length ?? 0), 0);
}

const reasons: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'an opening quote is never closed: the file is cut, or a quote inside a cell is not doubled',
  CSV_INVALID_CLOSING_QUOTE: 'text follows a closing quote: a quote inside a cell is not doubled',
  INVALID_OPENING_QUOTE:
    'a cell that is not quoted holds a quote: quote the cell and double the quote, or set source.quote: none',
  TOO_MANY_ODD_ROWS: `more than ${maxOddRows} rows are blank lines or have another number of columns than the first one`,
  CSV_MAX_RECORD_SIZE: `the row is longer than ${maxRecordLength} characters: a quote is not closed`,
};

/** The parser's own messages hold cells, so they are not shown. */
function describe(error: Error): string {
  const { code } = error as CsvError;
  return reasons[code] ?? `the row cannot be read (${code ?? error.name})`;
}

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
