import { RollcallError } from '../../../core/run/errors.ts';
import { type CsvFile, chunkBytes } from '../csv-file.ts';
import type { CsvConfig } from '../schema.ts';
import { createDecoder } from './decode.ts';
import { readHeader, readPreamble } from './header.ts';
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
