import { withoutInvisible } from '../../../core/person/cell.ts';
import { normalText } from '../../../core/person/text.ts';
import { RollcallError } from '../../../core/run/errors.ts';
import { countOf } from '../../../core/run/formats.ts';
import type { CsvConfig } from '../config.ts';
import { type CsvFile, chunkBytes } from '../csv-file.ts';
import { createDecoder, namedEncoding } from './decode.ts';
import { type CsvRow, createRowParser } from './row-parser.ts';

export interface Layout {
  /** The name of each column; undefined for one that no setting can name. */
  readonly columns: readonly (string | undefined)[];
  /** How the header names each column. */
  readonly written: readonly string[];
  /** The number of cells of most rows. It is above the number of columns where each row ends with blank cells. */
  readonly usualWidth: number;
  /** Whether several rows have so many cells, as where a spreadsheet leaves blank last cells out. */
  isFrequent(width: number): boolean;
  readonly delimiter: string;
  /** What the operator must know of columns that are left out. */
  readonly notes: readonly string[];
}

/** A file that was read up to its header. */
export type OpenRows = NonNullable<Awaited<ReturnType<typeof openRows>>>;

/**
 * Reads the start of the file: encoding, delimiter, header. Returns undefined when the file is empty. Throws
 * `SOURCE_UNAVAILABLE` for an unreadable CSV file, before any row is returned.
 */
export async function openRows(config: CsvConfig, file: CsvFile) {
  const path = file.name;
  const head = await file.next();
  if (head === undefined) return undefined;
  const decoder = createDecoder(path, head, config.encoding ?? namedEncoding(file.charset, head));
  const text = decoder.decode(head);
  const { delimiter, skipped, skippedLines } = readPreamble(path, text, config);
  const parser = createRowParser({
    delimiter,
    quote: config.quote === 'none' ? undefined : config.quote,
    hasBackslashes: config.escape === 'backslash',
    firstLine: skippedLines + 1,
  });
  const beginning = await parser.push(text.slice(skipped));
  // The parser holds back the last row, so a file with only a header returns it at the end.
  const isOver = head.length < chunkBytes;
  const ending = isOver && beginning.failure === undefined ? await parser.end() : undefined;
  const failure = beginning.failure ?? ending?.failure;
  const [header, ...rows] = [...beginning.rows, ...(ending?.rows ?? [])];
  if (header === undefined) {
    const reason = failure?.reason ?? `it is longer than ${chunkBytes / 1024} KB, or there is no text`;
    throw new RollcallError(`the header of ${path} cannot be read: ${reason}`, { code: 'SOURCE_UNAVAILABLE' });
  }
  const isFrequent = (width: number): boolean => rows.filter(({ cells }) => cells.length === width).length >= several;
  const usualWidth = widthOfMost(rows) ?? header.cells.length;
  const layout = { ...readHeader(path, header, delimiter), usualWidth, isFrequent, delimiter };
  if (
    layout.usualWidth > header.cells.length &&
    rows.some(({ cells }) => cells.slice(header.cells.length).some((cell) => cell.trim() !== ''))
  ) {
    const guess = headerLine(text.slice(skipped).split(anyLineEnd), delimiter);
    if (guess > 0)
      throw misplaced(
        path,
        `line ${header.line} has ${countOf(header.cells.length, 'column', 'columns')}, most rows below have ${usualWidth}`,
        skippedLines + guess,
      );
  }
  return {
    layout,
    /** Whether the text read so far ends with a line end. */
    hasLineEnd: () => parser.hasLineEnd(),
    /** Whether the bytes end inside a character. */
    isCutInCharacter: () => decoder.isCut(),
    /** What the operator must know of the bytes read so far. */
    notes: () => decoder.notes(),
    /** Yields the rows after the header in chunks, until a failure or the end of the file. */
    async *parsed() {
      yield failure === undefined ? { rows } : { rows, failure };
      if (isOver || failure !== undefined) return;
      for (let bytes = await file.next(); bytes !== undefined; bytes = await file.next()) {
        const parsed = await parser.push(decoder.decode(bytes));
        yield parsed;
        if (parsed.failure !== undefined) return;
      }
      yield await parser.end();
    },
  };
}

const anyLineEnd = /\r\n|\n|\r/;
const wholeLine = /([^\r\n]*)(\r\n|\n|\r)?/y;
export const delimiters = [',', ';', '\t', '|'];

/** Reads the start of a file. Throws `SOURCE_UNAVAILABLE` when no delimiter can be detected. */
function readPreamble(path: string, head: string, config: CsvConfig) {
  let skipped = 0;
  let skippedLines = 0;
  let separator: string | undefined;
  for (;;) {
    wholeLine.lastIndex = skipped;
    const [whole = '', line = '', lineEnd] = wholeLine.exec(head) ?? [];
    const named = /^sep=(.)$/i.exec(line)?.[1];
    separator ??= named;
    const isHeader = skippedLines >= config.skipLines && line.trim() !== '' && named === undefined;
    if (isHeader || lineEnd === undefined) break;
    skipped += whole.length;
    skippedLines += 1;
  }
  const rest = head.slice(skipped);
  const header = firstLine(rest, config.quote);
  const found = sniff(header, config.quote);
  const named = config.delimiter;
  if (named !== undefined && found !== undefined && !header.includes(named)) {
    const { length } = header.split(found);
    const message = `source.delimiter is ${JSON.stringify(named)}, which the header of ${path} does not have. ${JSON.stringify(found)} separates it into ${length} columns: remove source.delimiter or correct it`;
    throw new RollcallError(message, { code: 'SOURCE_UNAVAILABLE' });
  }
  const delimiter = named ?? separator ?? found;
  if (delimiter === undefined) {
    const guess = headerLine(rest.split(anyLineEnd));
    if (guess > 0) throw misplaced(path, `line ${skippedLines + 1} has one column only`, skippedLines + guess);
    const message = `the header of ${path} has one column only: it has no delimiter (, ; | or tab). Set source.delimiter, or source.skipLines if the file has lines above the header`;
    throw new RollcallError(message, { code: 'SOURCE_UNAVAILABLE' });
  }
  return {
    delimiter,
    /** Characters before the header, and the lines that they are: those to skip, an Excel `sep=;`, blank lines. */
    skipped,
    skippedLines,
  };
}

/** `lines`: how many stand above the line that looks like the header. */
function misplaced(path: string, what: string, lines: number): RollcallError {
  const message = `the header of ${path} is not in its first line: ${what}. Line ${lines + 1} looks like the header: set source.skipLines: ${lines}`;
  return new RollcallError(message, { code: 'SOURCE_UNAVAILABLE' });
}

/** Lines in which the header is looked for. */
const sampleLines = 50;

/** Returns the index of the first line that has as many cells as most lines of a sample; -1 when there is none. */
function headerLine(lines: readonly string[], delimiter?: string): number {
  const sample = lines.slice(0, sampleLines);
  for (const candidate of delimiter === undefined ? delimiters : [delimiter]) {
    const widths = sample.map((line) => line.split(candidate).length);
    const usual = mostOf(widths.filter((_, index) => sample[index]?.trim() !== ''));
    if (usual !== undefined && usual > 1) return widths.indexOf(usual);
  }
  return -1;
}

/** So many rows of one width are no accident. */
const several = 3;

/** Returns the number of cells that more than half of the rows have, of three rows at least. */
function widthOfMost(rows: readonly CsvRow[]): number | undefined {
  const widths = rows.flatMap(({ cells }) => (cells.length > 1 ? [cells.length] : []));
  return widths.length < several ? undefined : mostOf(widths);
}

function mostOf(numbers: readonly number[]): number | undefined {
  const counts = new Map<number, number>();
  for (const number of numbers) counts.set(number, (counts.get(number) ?? 0) + 1);
  return [...counts].find(([, count]) => count * 2 > numbers.length)?.[0];
}

/** Returns the name that a header cell holds: NFC, trimmed, without invisible characters, NBSP as a space. */
export function columnName(cell: string): string {
  return normalText(withoutInvisible(cell).replace(/\s+/g, ' '));
}

/**
 * Reads the column names. A column without a name, or with the name of another one but for case and spaces, has none:
 * it costs nothing where no setting names it. Throws `SOURCE_UNAVAILABLE` when a quote of the header does not fit.
 */
function readHeader(
  path: string,
  { cells, misquoted, isUnclosed }: CsvRow,
  delimiter: string,
): Pick<Layout, 'columns' | 'written' | 'notes'> {
  const written = cells.map(columnName);
  const swallowing = cells.findIndex((cell) => /[\r\n]/.test(cell) && cell.includes(delimiter));
  const problem =
    isUnclosed === true
      ? 'an opening quote is never closed'
      : misquoted !== undefined
        ? `a quote in the name of column ${(misquoted[0] ?? 0) + 1} is not doubled`
        : swallowing !== -1
          ? `the name of column ${swallowing + 1} runs over several lines that look like rows: a quote in the first line is not closed`
          : undefined;
  if (problem !== undefined) {
    const message = `the header of ${path} cannot be used: ${problem}. Nothing was read; correct the export`;
    throw new RollcallError(message, { code: 'SOURCE_UNAVAILABLE', raw: written.join(', ') });
  }
  const keys = written.map((name) => name.toLowerCase());
  const isUsable = (_: string, index: number): boolean => {
    const key = keys[index] ?? '';
    return key !== '' && key !== '__proto__' && keys.indexOf(key) === keys.lastIndexOf(key);
  };
  const columns = written.map((name, index) => (isUsable(name, index) ? name : undefined));
  const numbers = columns.flatMap((name, index) => (name === undefined && keys[index] !== '' ? [index + 1] : []));
  const doubled =
    numbers.length === 0
      ? []
      : [
          `${numbers.length === 1 ? 'column' : 'columns'} ${numbers.join(', ')} left out, because the name is not unique apart from case and spaces`,
        ];
  const nameless = countOf(
    keys.filter((key) => key === '').length,
    'column without a name is',
    'columns without a name are',
  );
  return { columns, written, notes: keys.includes('') ? [...doubled, `${nameless} left out`] : doubled };
}

/** Returns the text up to the first line end outside quotes. */
function firstLine(head: string, quote: string): string {
  let isQuoted = false;
  for (let index = 0; index < head.length; index++) {
    const character = head[index];
    if (character === quote) isQuoted = !isQuoted;
    else if (!isQuoted && (character === '\n' || character === '\r')) return head.slice(0, index);
  }
  return head;
}

/** Returns the candidate that occurs most often in the header, outside quotes. */
function sniff(line: string, quote: string): string | undefined {
  let isQuoted = false;
  const counts = new Map<string, number>(delimiters.map((candidate) => [candidate, 0]));
  for (const character of line) {
    if (character === quote) isQuoted = !isQuoted;
    else if (!isQuoted && counts.has(character)) counts.set(character, (counts.get(character) ?? 0) + 1);
  }
  const [best] = [...counts].sort(([, a], [, b]) => b - a);
  return best !== undefined && best[1] > 0 ? best[0] : undefined;
}
