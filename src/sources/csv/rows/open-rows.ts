import { normalText } from '../../../core/person/text.ts';
import { RollcallError } from '../../../core/run/errors.ts';
import type { CsvConfig } from '../config.ts';
import { type CsvFile, chunkBytes } from '../csv-file.ts';
import { createDecoder } from './decode.ts';
import { createRowParser, type ParsedRows } from './row-parser.ts';

/** A file that was read up to its header. */
export interface OpenRows {
  readonly columns: readonly string[];
  readonly delimiter: string;
  /** Yields the rows after the header in chunks, until a failure or the end of the file. */
  parsed(): AsyncGenerator<ParsedRows, void>;
  /** Whether the text read so far ends with a line end. */
  hasLineEnd(): boolean;
  /** Whether the bytes end inside a character. */
  isCutInCharacter(): boolean;
  close(): void;
}

const lineEnds: readonly (number | undefined)[] = [10, 13];

/**
 * Reads the start of the file: encoding, delimiter, header. Returns undefined when the file is empty. Throws
 * `SOURCE_UNAVAILABLE` for an unreadable CSV file, before any row is returned.
 */
export async function openRows(config: CsvConfig, file: CsvFile): Promise<OpenRows | undefined> {
  const path = file.name;
  const head = await file.next();
  if (head === undefined) return undefined;
  const decoder = createDecoder(path, head, config.encoding);
  const text = decoder.decode(head);
  const { delimiter, skipBytes } = readPreamble(path, text, config);
  const quote = config.quote === 'none' ? null : config.quote;
  const mayQuoteInside = quote === '"' && hasTextFormula(text.toString('latin1'), delimiter);
  const parser = createRowParser({ delimiter, quote, firstLine: skipBytes === 0 ? 1 : 2, mayQuoteInside });
  let lastByte = text.at(-1);
  try {
    const beginning = await parser.push(text.subarray(skipBytes));
    // The parser holds back the last bytes, so a file with only a header returns it at the end.
    const isOver = head.length < chunkBytes;
    const ending = isOver && beginning.failure === undefined ? await parser.end() : undefined;
    const failure = beginning.failure ?? ending?.failure;
    const [header, ...rows] = [...beginning.rows, ...(ending?.rows ?? [])];
    if (header === undefined) {
      const reason = failure?.reason ?? `it is longer than ${chunkBytes / 1024} KB, or there is no text`;
      throw new RollcallError(`the header of ${path} cannot be read: ${reason}`, { code: 'SOURCE_UNAVAILABLE' });
    }
    return {
      columns: readHeader(path, header.cells, delimiter),
      delimiter,
      hasLineEnd: () => lineEnds.includes(lastByte),
      isCutInCharacter: () => decoder.isCut(),
      close: () => parser.close(),
      async *parsed() {
        yield failure === undefined ? { rows } : { rows, failure };
        if (isOver || failure !== undefined) return;
        for (let bytes = await file.next(); bytes !== undefined; bytes = await file.next()) {
          const more = decoder.decode(bytes);
          lastByte = more.at(-1) ?? lastByte;
          const parsed = await parser.push(more);
          yield parsed;
          if (parsed.failure !== undefined) return;
        }
        yield await parser.end();
      },
    };
  } catch (error) {
    parser.close();
    throw error;
  }
}

/** Returns whether a cell starts with an unquoted `="`. Quotes are then parsed less strictly in the whole file. */
function hasTextFormula(head: string, delimiter: string): boolean {
  return [delimiter, '\n', '\r'].some((before) => head.includes(`${before}="`));
}

const lineFeed = 10;
const carriageReturn = 13;

/** What the first lines say about the file. */
interface Preamble {
  readonly delimiter: string;
  /** Bytes to skip before the header: an Excel `sep=;` line with its line end. */
  readonly skipBytes: number;
}

/** Reads the start of a UTF-8 file. Throws `SOURCE_UNAVAILABLE` when no delimiter can be detected. */
function readPreamble(
  path: string,
  head: Buffer,
  config: { readonly delimiter?: string | undefined; readonly quote: string },
): Preamble {
  const firstLine = lineAt(head, '');
  const separator = /^sep=(.)$/i.exec(firstLine)?.[1];
  const skipBytes = separator === undefined ? 0 : afterLine(head, Buffer.byteLength(firstLine));
  const delimiter =
    config.delimiter ?? separator ?? sniff(lineAt(head.subarray(skipBytes), config.quote), config.quote);
  if (delimiter === undefined) {
    throw new RollcallError(
      `the header of ${path} has one column only: none of , ; | or tab separates it. Set source.delimiter`,
      { code: 'SOURCE_UNAVAILABLE' },
    );
  }
  return { delimiter, skipBytes };
}

/**
 * Reads the column names: NFC, trimmed, without U+FEFF, NBSP as a space. Throws `SOURCE_UNAVAILABLE` for blank or
 * ambiguous names, because then no row can be trusted.
 */
function readHeader(path: string, cells: readonly string[], delimiter: string): readonly string[] {
  const names = cells.map((cell) => normalText(cell.replaceAll('\uFEFF', '').replace(/\s+/g, ' ')));
  const seen = new Map<string, number>();
  for (const [index, name] of names.entries()) {
    const column = index + 1;
    const key = name.toLowerCase();
    const before = seen.get(key);
    const problem =
      name === ''
        ? `column ${column} has no name`
        : before !== undefined
          ? `columns ${before} and ${column} have the same name; names that differ only by case or spaces are ambiguous`
          : name === '__proto__'
            ? `column ${column} is called __proto__`
            : isSwallowing(cells[index] ?? '', delimiter)
              ? `the name of column ${column} runs over several lines that look like rows: a quote in the first line is not closed`
              : undefined;
    if (problem !== undefined) {
      throw new RollcallError(
        `the header of ${path} cannot be used: ${problem}. Nothing was read; correct the export`,
        {
          code: 'SOURCE_UNAVAILABLE',
          raw: names.join(', '),
        },
      );
    }
    seen.set(key, column);
  }
  return names;
}

/** A name may have a line break, but a line break and a delimiter are rows inside a stray quote. */
function isSwallowing(cell: string, delimiter: string): boolean {
  return /[\r\n]/.test(cell) && cell.includes(delimiter);
}

/** Returns the text up to the first line end outside quotes. */
function lineAt(head: Buffer, quote: string): string {
  const quoteByte = quote.length === 1 ? quote.charCodeAt(0) : -1;
  let isQuoted = false;
  for (const [index, byte] of head.entries()) {
    if (byte === quoteByte) isQuoted = !isQuoted;
    else if (!isQuoted && (byte === lineFeed || byte === carriageReturn)) return head.toString('utf8', 0, index);
  }
  return head.toString('utf8');
}

function afterLine(head: Buffer, lineBytes: number): number {
  const isPair = head[lineBytes] === carriageReturn && head[lineBytes + 1] === lineFeed;
  return Math.min(head.length, lineBytes + (isPair ? 2 : 1));
}

/** Returns the candidate that occurs most often in the header, outside quotes. */
function sniff(line: string, quote: string): string | undefined {
  let isQuoted = false;
  const counts = new Map<string, number>([',', ';', '\t', '|'].map((candidate) => [candidate, 0]));
  for (const character of line) {
    if (character === quote) isQuoted = !isQuoted;
    else if (!isQuoted && counts.has(character)) counts.set(character, (counts.get(character) ?? 0) + 1);
  }
  const [best] = [...counts].sort(([, a], [, b]) => b - a);
  return best !== undefined && best[1] > 0 ? best[0] : undefined;
}
