import { RollcallError } from '../../core/errors.ts';
import { type CsvFile, chunkBytes } from './csv-file.ts';
import { createDecoder } from './decode.ts';
import { readHeader, readPreamble } from './header.ts';
import { createRowParser, type ParsedRows } from './row-parser.ts';
import type { CsvConfig } from './schema.ts';

/** A file read as far as its header. */
export interface OpenRows {
  readonly columns: readonly string[];
  /** The rows after the header, some bytes at a time, until one of them tells of failure or the file ends. */
  parsed(): AsyncGenerator<ParsedRows, void>;
  /** Whether the text read so far ends with a line end. */
  hasLineEnd(): boolean;
  /** Whether the bytes end inside a character. */
  isCutInCharacter(): boolean;
  close(): void;
}

const lineEnds: readonly (number | undefined)[] = [10, 13];

/**
 * Reads the beginning of the file: encoding, delimiter, header. Undefined when it is empty. Throws `SOURCE_UNAVAILABLE`
 * when the file is no CSV that can be read, before anything of it was given away.
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
    // The parser keeps the last few bytes back, so that a header alone comes out only at the end.
    const isOver = head.length < chunkBytes;
    const ending = isOver && beginning.failure === undefined ? await parser.end() : undefined;
    const failure = beginning.failure ?? ending?.failure;
    const [header, ...rows] = [...beginning.rows, ...(ending?.rows ?? [])];
    if (header === undefined) {
      const reason = failure?.reason ?? `it is longer than ${chunkBytes / 1024} KB, or there is no text`;
      throw new RollcallError(`the header of ${path} cannot be read: ${reason}`, { code: 'SOURCE_UNAVAILABLE' });
    }
    return {
      columns: readHeader(path, header.cells),
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

/** Whether a cell begins with `="`, bare: then quotes are taken less strictly in the whole file. */
function hasTextFormula(head: string, delimiter: string): boolean {
  return [delimiter, '\n', '\r'].some((before) => head.includes(`${before}="`));
}
