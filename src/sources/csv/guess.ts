import { usageError } from '../../core/run/errors.ts';
import type { GuessedFile, SourceBase, SourceIo } from '../../ports/source.ts';
import { CsvConfig, type CsvEncoding } from './config.ts';
import type { CsvFile } from './csv-file.ts';
import { findList, readJsonFile } from './json-file.ts';
import { fileOpener } from './places/open-file.ts';
import { encodingsFor, json, markedEncoding, refuseOtherFormats } from './rows/decode.ts';
import { delimiters } from './rows/open-rows.ts';
import { createRowParser } from './rows/row-parser.ts';
import { isFooter } from './rows/row-sorter.ts';

/**
 * Finds how a file is written, from its bytes: encoding, delimiter and the lines above the header. Streams it once.
 * Throws `SOURCE_UNAVAILABLE` for a file that cannot be read, and `USAGE` for one without a header.
 */
export async function guessCsv(path: string, base: SourceBase, io: SourceIo): Promise<GuessedFile> {
  const file = await fileOpener(CsvConfig.parse({ kind: 'csv', path }), base)(io, 'whole');
  try {
    const head = (await file.next()) ?? Buffer.alloc(0);
    if (json.test(head.toString('latin1')))
      return { kind: 'csv', settings: [itemsOf(file.name, await readJsonFile(file, [head]))] };
    refuseOtherFormats(file.name, head);
    const { encoding, evidence: why } = await guessEncoding(file, head);
    const text = new TextDecoder(encoding ?? 'utf-8').decode(head);
    const { delimiter, usual, layout } = await guessLayout(file.name, text.slice(0, text.length - 1));
    let tail = head;
    for (let bytes: Buffer | undefined = head; bytes !== undefined; bytes = await file.next()) tail = bytes;
    const footer = await footerOf(new TextDecoder(encoding ?? 'utf-8').decode(tail), delimiter, usual);
    const evidence = `the last ${footer === 1 ? 'row has' : 'rows have'} few of the ${usual} cells`;
    const settings = [
      ...(encoding === undefined || markedEncoding(head) ? [] : [{ key: 'encoding', value: encoding, evidence: why }]),
      ...layout,
      ...(footer === 0 ? [] : [{ key: 'skipFooter', value: footer, evidence }]),
    ];
    return { kind: 'csv', settings };
  } finally {
    await file.close();
  }
}

/** Names the list of people in a JSON file: the one with the most members. */
function itemsOf(name: string, document: unknown): GuessedFile['settings'][number] {
  const found = findList(document);
  if (found !== undefined)
    return { key: 'items', value: found.path, evidence: 'the file is JSON, and this is its longest list' };
  throw usageError(`${name} is JSON without a list of objects: save the answer that contains the people`);
}

/** So many cells beyond ASCII show which encodings fit. */
const oddBytes = 20_000;

async function guessEncoding(file: CsvFile, head: Buffer) {
  const marked = markedEncoding(head);
  if (marked !== undefined) return { encoding: marked, evidence: 'a byte order mark' };
  const zeros = [0, 1].map((side) => head.filter((byte, place) => byte === 0 && place % 2 === side).length);
  const [even = 0, odd = 0] = zeros;
  if ((even + odd) * 10 > head.length) {
    const encoding: CsvEncoding = odd > even ? 'utf-16le' : 'utf-16be';
    return { encoding, evidence: 'every second byte is zero' };
  }
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const strange: Buffer[] = [];
  let kept = 0;
  let isUtf8 = true;
  for (let bytes: Buffer | undefined = head; bytes !== undefined && kept < oddBytes; bytes = await file.next()) {
    if (isUtf8) isUtf8 = isValid(decoder, bytes);
    if (isUtf8) continue;
    strange.push(bytes);
    kept += bytes.filter((byte) => byte > 127).length;
  }
  if (isUtf8) return { encoding: undefined, evidence: '' };
  const [encoding, ...others] = encodingsFor(Buffer.concat(strange));
  const also = others.length === 0 ? '' : `; so it does in ${others.slice(0, 3).join(', ')}`;
  return { encoding, evidence: `it is not UTF-8, and reads like words in this encoding${also}` };
}

function isValid(decoder: InstanceType<typeof TextDecoder>, bytes: Buffer): boolean {
  try {
    decoder.decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** Rows of the sample. */
const sampleRows = 60;

/** Finds the delimiter that makes the most cells, and the first line that is filled as most lines are: the header. */
async function guessLayout(path: string, text: string) {
  if (text.trim() === '') throw usageError(`${path} is empty: it contains no employees. Export it again`);
  // A few control characters in a text are trouble of their cells.
  const odd = text.match(/[^\P{Cc}\t\r\n]|\ufffd/gu)?.length ?? 0;
  if (odd > 2 && odd * 100 > text.length)
    throw usageError(
      `${path} is no text: ${odd} of its first ${text.length} characters cannot be read. Export it as CSV`,
    );
  const named = /^sep=(.)\r?\n/i.exec(text)?.[1];
  const tries = await Promise.all(
    (named === undefined ? delimiters : [named]).map((delimiter) => sample(text, delimiter)),
  );
  const { delimiter, rows, usual } = tries.reduce((one, other) => (other.usual > one.usual ? other : one));
  if (usual < 2) {
    const start = JSON.stringify(text.trim().slice(0, 40));
    const message = `${path} is no table: it has one column only, and begins with ${start}. Export it with , ; | or tab between the columns`;
    throw usageError(message);
  }
  const header = rows.find(({ filled }) => filled.length > 1 && filled.length * 10 >= usual * 6);
  if (header === undefined || header.filled.some((cell) => notAName.test(cell))) {
    const message = `line ${header?.line ?? 1} of ${path} has other texts than column names: add a header line to the export`;
    throw usageError(message);
  }
  if (!rows.some(({ line, filled }) => line > header.line && filled.length > 0))
    throw usageError(`${path} has a header, but no rows: it contains no employees. Export it again`);
  const above = rows.filter(
    ({ line, filled }) => line < header.line && filled.length > 0 && !/^sep=.$/i.test(filled.join('')),
  );
  const isUsual = delimiter === ',' || delimiter === named;
  const layout: GuessedFile['settings'] = [
    ...(isUsual
      ? []
      : [
          { key: 'delimiter', value: delimiter === '\t' ? 'tab' : delimiter, evidence: `${usual} cells in most lines` },
        ]),
    ...(above.length === 0
      ? []
      : [{ key: 'skipLines', value: header.line - 1, evidence: `the column names are in line ${header.line}` }]),
  ];
  return { delimiter, usual, layout };
}

/** So many of the last lines are looked at. */
const lastLines = 20;

/** Counts the rows at the end that are no people. */
async function footerOf(text: string, delimiter: string, usual: number): Promise<number> {
  const lines = text.trimEnd().split(/\r\n|\n|\r/);
  const { rows } = await sample(`${lines.slice(-lastLines).join('\n')}\n`, delimiter);
  const last = rows.filter(({ filled }) => filled.length > 0);
  return last.length - 1 - last.findLastIndex(({ filled }) => !isFooter({ cells: filled }, usual));
}

/** An e-mail address, a date or a command of RTF: no column is called so. */
const notAName = /^\{?\\[a-z]|^\S+@\S+\.\S+$|^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}$/;

async function sample(text: string, delimiter: string) {
  const parser = createRowParser({ delimiter, quote: '"', hasBackslashes: false, firstLine: 1 });
  const pushed = (await parser.push(text)).rows;
  const all = pushed.length < sampleRows ? [...pushed, ...(await parser.end()).rows] : pushed;
  const rows = all.slice(0, sampleRows).map(({ line, cells }) => ({
    line,
    filled: cells.map((cell) => cell.trim()).filter((cell) => cell !== ''),
  }));
  const widths = rows.map(({ filled }) => filled.length).toSorted((a, b) => a - b);
  return { delimiter, rows, usual: widths[Math.floor(widths.length / 2)] ?? 0 };
}
