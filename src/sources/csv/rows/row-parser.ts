import { setImmediate as nextTurn } from 'node:timers/promises';

/** One record of the file as cells. `line` is its first line, counted from 1; `lines` is how many it covers. */
export interface CsvRow {
  readonly line: number;
  readonly lines: number;
  readonly cells: readonly string[];
  /** Indexes of cells whose quotes do not fit, so that their text is not known. Absent where there are none. */
  readonly misquoted?: readonly number[];
  /** A quote of the row is closed nowhere, so the lines below it are read as rows of their own. */
  readonly isUnclosed?: true;
}

/** Rows completed by some text. `failure` describes the following row, at which the read ended. */
export interface ParsedRows {
  readonly rows: readonly CsvRow[];
  readonly failure?: { readonly line: number; readonly reason: string };
}

export interface RowFormat {
  readonly delimiter: string;
  /** Undefined for files without quotes. */
  readonly quote: string | undefined;
  /** Whether a backslash takes the meaning from the quote, delimiter, line end or backslash after it. */
  readonly hasBackslashes: boolean;
}

/** A longer record has an unclosed quote, which would otherwise swallow the file. */
const maxRecordLength = 1_000_000;

/** Rows that are parsed before other work of this process runs. Far more than a chunk of ordinary rows has. */
const rowsPerTurn = 2_000;

/**
 * Parses RFC 4180 with any line end: quotes around whole cells and doubled inside; spaces outside the quotes are left
 * out. A cell whose quotes do not fit ends with its line at the latest, so that it takes no other row along. Returns
 * rows of any length, and blank lines as one blank cell; the caller knows the header.
 */
export function createRowParser({ firstLine, ...format }: RowFormat & { readonly firstLine: number }) {
  let text = '';
  let line = firstLine;
  // The number of cells of the first row decides between two readings of a row whose quotes do not fit.
  let width: number | undefined;
  let endsWithLine = false;

  const rowAt = (start: number, lineEnd: number, hasQuotes: boolean, isOver: boolean): Row | undefined => {
    if (!hasQuotes) {
      return { cells: text.slice(start, lineEnd).split(format.delimiter), misquoted: none, end: lineEnd };
    }
    const strict = readCells(text, start, format, isOver ? 'over' : 'open');
    if (typeof strict === 'object') return strict.end - start > maxRecordLength ? undefined : strict;
    if (strict === 'unfinished' && !isOver && text.length - start < maxRecordLength) return undefined;
    const alone = text.slice(start, lineEnd);
    const unclosed = strict === 'unfinished' ? { isUnclosed: true as const } : {};
    const rows = (['short', 'long'] as const).map((reading) => readCells(alone, 0, format, reading));
    const cells = rows.filter((row) => typeof row === 'object');
    const best = cells.find((row) => row.cells.length === width) ?? cells[0];
    return best === undefined ? undefined : { ...best, ...unclosed, end: lineEnd };
  };

  /** Takes the rows that the text completes, at most a turn's worth, and drops them from it. */
  const take = (rows: CsvRow[], isOver: boolean): boolean => {
    const next = openNext(text);
    let start = 0;
    let count = 0;
    for (; start < text.length && count < rowsPerTurn; count++) {
      const lineEnd = next.lineEnd(start, isOver);
      if (lineEnd === undefined) break;
      const hasQuotes = next.isBefore(format, start, lineEnd);
      const row = rowAt(start, lineEnd, hasQuotes, isOver);
      if (row === undefined || (row.end === text.length - 1 && text[row.end] === '\r' && !isOver)) break;
      const lines = row.end === lineEnd ? 1 : 1 + lineEndsIn(text.slice(start, row.end));
      const { cells, misquoted, isUnclosed } = row;
      const odd = misquoted.length === 0 ? {} : { misquoted };
      rows.push({ line, lines, cells, ...odd, ...(isUnclosed === undefined ? {} : { isUnclosed }) });
      if (cells.length > 1) width ??= cells.length;
      line += lines;
      start = row.end + (text.startsWith('\r\n', row.end) ? 2 : 1);
    }
    text = text.slice(start);
    return count === rowsPerTurn;
  };

  const takeAll = async (isOver: boolean): Promise<ParsedRows> => {
    const rows: CsvRow[] = [];
    while (take(rows, isOver)) await nextTurn();
    if (text.length <= maxRecordLength) return { rows };
    const reason = `the row is longer than ${maxRecordLength} characters: a quote is not closed`;
    return { rows, failure: { line, reason } };
  };

  return {
    async push(more: string) {
      if (more !== '') endsWithLine = /[\r\n]$/.test(more);
      text += more;
      return takeAll(false);
    },
    /** Returns the last rows. The end-of-file mark of DOS (U+001A) after them is no row. */
    end() {
      if (text === endOfFile) {
        text = '';
        endsWithLine = true;
      }
      return takeAll(true);
    },
    /** Whether the text ended with a line end. Known after `end`. */
    hasLineEnd: () => endsWithLine,
  };
}

/** What DOS programs write behind the last byte. */
const endOfFile = '\u001A';

const none: readonly number[] = [];

/** The cells of one row. `end` is the position of its line end. */
interface Row extends Pick<CsvRow, 'isUnclosed'> {
  readonly cells: readonly string[];
  readonly misquoted: readonly number[];
  readonly end: number;
}

/**
 * Returns the cells of a row, which may run over several lines. `malformed`: text follows a closing quote. `unfinished`:
 * the row does not end within the text. A text that is one line alone (`short`, `long`) always has cells: a cell whose
 * quotes do not fit ends at the next delimiter (`short`), or at the next quote before a delimiter (`long`).
 */
function readCells(
  text: string,
  start: number,
  format: RowFormat,
  mode: 'open' | 'over' | 'short' | 'long',
): Row | 'malformed' | 'unfinished' {
  const { delimiter, quote = '' } = format;
  const cells: string[] = [];
  const misquoted: number[] = [];
  for (let from = start; ; ) {
    const first = afterSpaces(text, from, delimiter);
    // `="001"` is written for a spreadsheet. Its quotes are part of the cell.
    const isFormula = text[first] === '=' && text[first + 1] === quote;
    const isQuoted = text[first] === quote;
    const whole = isQuoted || isFormula ? readQuoted(text, isQuoted ? first : first + 1, format, 'first') : 'malformed';
    if (isQuoted && typeof whole === 'string' && (mode === 'open' || mode === 'over')) return whole;
    const long =
      isQuoted && mode === 'long' && typeof whole === 'string' ? readQuoted(text, first, format, 'last') : whole;
    let end: number;
    if (typeof long === 'object' && (isQuoted || !/[\r\n]/.test(text.slice(from, long.end)))) {
      end = long.end;
      if (long !== whole) misquoted.push(cells.length);
      cells.push(isQuoted ? long.text : text.slice(first, end).trimEnd());
    } else {
      end = endOfPlain(text, from, format);
      const plain = text.slice(from, end);
      const { hasBackslashes } = format;
      const bare = hasBackslashes ? plain.replace(escaped, '') : plain;
      if (quote !== '' && bare.includes(quote)) misquoted.push(cells.length);
      cells.push(hasBackslashes ? plain.replace(escaped, '$1') : plain);
    }
    if (end >= text.length && mode === 'open') return 'unfinished';
    if (text[end] !== delimiter) return { cells, misquoted, end };
    from = end + 1;
  }
}

/** Letters and digits keep their backslash: `\N` is the word of a database for no value, and `C:\temp` a folder. */
const escaped = /\\([^A-Za-z0-9])/gs;

/**
 * Reads the cell whose opening quote is at `open`. It ends at the `first` quote that is not doubled, where nothing but
 * spaces may follow, or at the `last` one before a delimiter.
 */
function readQuoted(
  text: string,
  open: number,
  { delimiter, quote = '', hasBackslashes }: RowFormat,
  closing: 'first' | 'last',
): { readonly text: string; readonly end: number } | 'malformed' | 'unfinished' {
  let content = '';
  let start = open + 1;
  for (let at = start; ; ) {
    const close = text.indexOf(quote, at);
    const slash = hasBackslashes ? text.indexOf('\\', at) : -1;
    if (slash !== -1 && (close === -1 || slash < close)) {
      at = slash + 2;
      if (/[A-Za-z0-9]/.test(text[slash + 1] ?? 'x')) continue;
      content += text.slice(start, slash);
      start = slash + 1;
      continue;
    }
    if (close === -1) return 'unfinished';
    if (text[close + 1] === quote) {
      content += text.slice(start, close + 1);
      at = close + 2;
      start = at;
      continue;
    }
    const end = afterSpaces(text, close + 1, delimiter);
    if (isCellEnd(text, end, delimiter)) return { text: content + text.slice(start, close), end };
    if (closing === 'first') return 'malformed';
    at = close + 1;
  }
}

function afterSpaces(text: string, from: number, delimiter: string): number {
  let at = from;
  while ((text[at] === ' ' || text[at] === '\t') && text[at] !== delimiter) at += 1;
  return at;
}

function isCellEnd(text: string, at: number, delimiter: string): boolean {
  return at >= text.length || text[at] === delimiter || text[at] === '\n' || text[at] === '\r';
}

function endOfPlain(text: string, from: number, { delimiter, hasBackslashes }: RowFormat): number {
  let at = from;
  while (!isCellEnd(text, at, delimiter)) at += hasBackslashes && text[at] === '\\' ? 2 : 1;
  return Math.min(at, text.length);
}

/** Finds the next line end or quote of a text, and remembers where it is. */
function openNext(text: string) {
  const places = new Map<string, number>();
  const find = (character: string, from: number): number => {
    const known = places.get(character);
    if (known !== undefined && known >= from) return known;
    const found = text.indexOf(character, from);
    const place = found === -1 ? Number.POSITIVE_INFINITY : found;
    places.set(character, place);
    return place;
  };
  return {
    /** Returns the end of the line; undefined when it is not in the text. A line feed may still follow its last `\r`. */
    lineEnd(from: number, isOver: boolean): number | undefined {
      const at = Math.min(find('\n', from), find('\r', from));
      if (isOver) return Math.min(at, text.length);
      return at < text.length - (text[at] === '\r' ? 1 : 0) ? at : undefined;
    },
    /** Whether the line has a character that makes it more than a list of plain cells. */
    isBefore({ quote, hasBackslashes }: RowFormat, from: number, lineEnd: number): boolean {
      return (quote !== undefined && find(quote, from) < lineEnd) || (hasBackslashes && find('\\', from) < lineEnd);
    },
  };
}

function lineEndsIn(text: string): number {
  return text.match(/\r\n|\n|\r/g)?.length ?? 0;
}

/** The file's last record, when it counts the others: `T;1234` or `#rows=1234`. */
export type Trailer = NonNullable<ReturnType<typeof readTrailer>>;

/** Reads a row as a trailer that starts with `prefix`; undefined when it is not one. */
export function readTrailer(row: CsvRow, prefix: string) {
  const [first = '', ...rest] = row.cells.map((cell) => cell.trim());
  const filled = rest.filter((cell) => cell !== '');
  const count = filled.length === 1 && first === prefix.trim() ? filled[0] : undefined;
  const written = count ?? (filled.length === 0 && first.startsWith(prefix) ? first.slice(prefix.length) : undefined);
  if (written === undefined || !/^\s*\d{1,15}\s*$/.test(written)) return undefined;
  return { line: row.line, rows: Number(written) };
}
