import { RollcallError } from '../../../core/run/errors.ts';
import { countOf } from '../../../core/run/formats.ts';
import { type CsvEncoding, csvEncodings } from '../config.ts';

/** What a decoder puts in the place of bytes that are no character. */
export const replacement = '\uFFFD';

/** So few say nothing about the encoding of the file: one cell of another one was pasted into it. */
const toleratedBytes = 2;

/**
 * Opens the decoder: by the byte order mark, else as configured, else UTF-8. `head` is the start of the file. Throws
 * `SOURCE_UNAVAILABLE` for other formats than CSV.
 */
export function createDecoder(path: string, head: Buffer, configured: CsvEncoding | undefined) {
  const encoding = markedEncoding(head) ?? configured ?? 'utf-8';
  refuseOtherFormats(path, head, encoding);
  const decoder = new TextDecoder(encoding);
  let offset = 0;
  let good = 0;
  let lost = 0;
  let first: { readonly bytes: Buffer; readonly place: number } | undefined;
  const told = (): string =>
    `${countOf(lost, 'byte is', 'bytes are')} not valid ${encoding}, the first near byte ${first?.place}`;
  return {
    /**
     * Bytes that are no character become U+FFFD. Throws `SOURCE_UNAVAILABLE`, with the encodings that fit, when there are
     * more of them than characters beyond ASCII.
     */
    decode(bytes: Buffer) {
      const text = decoder.decode(bytes, { stream: true });
      const lostHere = text.includes(replacement) ? countIn(text, replacement) - writtenIn(bytes, encoding) : 0;
      if (lostHere > 0) {
        first ??= { bytes, place: offset + Buffer.byteLength(text.slice(0, text.indexOf(replacement))) + 1 };
        lost += lostHere;
        good += text.match(beyondAscii)?.length ?? 0;
        if (lost > toleratedBytes && lost > good) {
          throw refusal(`${path} is not ${encoding}: ${told()}. ${adviceOf(first.bytes, encoding)}`);
        }
      } else good += bytes.length - text.length;
      offset += bytes.length;
      return text;
    },
    /** Returns whether the bytes end inside a character. Must be called once, after the last bytes. */
    isCut: () => decoder.decode() !== '',
    /** What the operator must know of bytes that are no characters. */
    notes() {
      if (first === undefined) return [];
      const note = `${told()}: the cells with them count as unreadable`;
      return [lost > good ? `${note}. ${adviceOf(first.bytes, encoding)}` : note];
    },
  };
}

/** Returns the encoding that a server names, unless the start of the file has characters of UTF-8. */
export function namedEncoding(charset: string | undefined, head: Buffer): CsvEncoding | undefined {
  try {
    const { encoding } = new TextDecoder(charset ?? 'utf-8');
    const known = csvEncodings.find((name) => name === encoding);
    // Its last character may be cut.
    const isUtf8 = !head.toString('utf8').slice(0, -4).includes(replacement) && head.some((byte) => byte > 127);
    return known === 'utf-8' || isUtf8 ? undefined : known;
  } catch {
    return undefined;
  }
}

const beyondAscii = /[\u{80}-\u{FFFC}\u{10000}-\u{10FFFF}]/gu;

function countIn(text: string, part: string): number {
  return text.split(part).length - 1;
}

/** Characters that another program lost before, and wrote as U+FFFD. */
function writtenIn(bytes: Buffer, encoding: CsvEncoding): number {
  return encoding === 'utf-8' ? countIn(bytes.toString('latin1'), '\xef\xbf\xbd') : 0;
}

/** Encodings that are named at most. */
const named = 6;

function adviceOf(bytes: Buffer, encoding: CsvEncoding): string {
  const fitting = encodingsFor(bytes).filter((name) => name !== encoding);
  const these = fitting.length === 0 ? '' : `. These fit: ${fitting.slice(0, named).join(', ')}`;
  return `If the export uses another encoding, set source.encoding${these}`;
}

/** Returns the encoding that a byte order mark names. */
export function markedEncoding(head: Buffer): CsvEncoding | undefined {
  return byteOrderMarks.find(({ mark }) => head.subarray(0, mark.length).equals(mark))?.encoding;
}

/** Returns the encodings in which the cells beyond ASCII read most like words, the usual ones first. */
export function encodingsFor(bytes: Buffer): readonly CsvEncoding[] {
  const cells = bytes.toString('latin1').match(/[^,;\t\r\n"]*[\x80-\xff][^,;\t\r\n"]*/g) ?? [];
  const sample = Buffer.from(cells.slice(0, sampleCells).join('\n'), 'latin1');
  const scored = csvEncodings.flatMap((encoding) => {
    if (encoding.startsWith('utf-')) return [];
    const text = new TextDecoder(encoding).decode(sample);
    return text.includes(replacement) ? [] : [{ encoding, oddities: text.match(oddPlaces)?.length ?? 0 }];
  });
  const least = Math.min(...scored.map(({ oddities }) => oddities));
  return scored.filter(({ oddities }) => oddities === least).map(({ encoding }) => encoding);
}

/** Cells that show which encodings fit. */
const sampleCells = 200;

/**
 * What no name has: control characters, symbols or digits of other kinds beside letters, a capital after a small letter
 * of another kind, letters of two scripts side by side.
 */
const oddPlaces = new RegExp(
  [
    '[\\x80-\\x9f]',
    '\\p{L}[^\\0-\\x7f\\p{L}\\p{M}\\u2019]',
    '[^\\0-\\x7f\\p{L}\\p{M}\\u2018]\\p{L}',
    '[a-z][^\\0-\\x7f\\p{Ll}\\p{M}]',
    '[A-Za-z](?![A-Za-z])(?!\\p{Script=Latin})\\p{L}',
    '(?![A-Za-z])(?!\\p{Script=Latin})\\p{L}[A-Za-z]',
  ].join('|'),
  'gu',
);

const byteOrderMarks: readonly { readonly mark: Buffer; readonly encoding: CsvEncoding }[] = [
  { mark: Buffer.of(0xef, 0xbb, 0xbf), encoding: 'utf-8' },
  { mark: Buffer.of(0xff, 0xfe), encoding: 'utf-16le' },
  { mark: Buffer.of(0xfe, 0xff), encoding: 'utf-16be' },
];

/** How JSON begins, as Latin-1. */
export const json = /^(?:\xef\xbb\xbf)?\s*[[{]\s*["{]/;

/** Other formats by their first bytes, as text. PGP: ASCII armor (RFC 9580, 6.2). */
const otherFormats: readonly { readonly start: string | RegExp; readonly what: string }[] = [
  {
    start: '-----BEGIN PGP ',
    what: 'is encrypted with PGP, which is not supported: decrypt it in a job before the run (docs/sources/csv.md)',
  },
  {
    start: /^PK[\s\S]*(?:\[Content_Types\]|xl\/|_rels\/|docProps\/|opendocument)/,
    what: 'is a workbook (.xlsx, .ods), not CSV: open it and save the sheet as "CSV UTF-8"',
  },
  { start: '%PDF-', what: 'is a PDF, not CSV: export the list itself as CSV' },
  {
    start: 'PK\x03\x04',
    what: 'is a spreadsheet or zip file, not CSV: export it as "CSV UTF-8", or set source.compression: zip if it is packed',
  },
  { start: '\xd0\xcf\x11\xe0', what: 'is an Excel file (.xls), not CSV: export it as "CSV UTF-8"' },
  { start: '\x1f\x8b', what: 'is gzip data, not CSV: set source.compression: gzip, or name it .gz' },
  {
    start: /^(?:\xef\xbb\xbf)?\s*<[!?a-z]/i,
    what: 'is HTML or XML, not CSV, as some programs export a table for Excel: export it as CSV',
  },
  { start: json, what: 'is JSON, not CSV: set source.items to the path of its list of people (. for the file itself)' },
];

/** Throws `SOURCE_UNAVAILABLE` for a file of another kind, which its first bytes show. */
export function refuseOtherFormats(path: string, head: Buffer, encoding?: CsvEncoding): void {
  const isWide = encoding?.startsWith('utf-16') === true;
  const start = isWide ? new TextDecoder(encoding).decode(head.subarray(0, 200)) : head.toString('latin1', 0, 200);
  const other = otherFormats.find((format) =>
    typeof format.start === 'string' ? start.startsWith(format.start) : format.start.test(start),
  );
  if (other !== undefined) throw refusal(`${path} ${other.what}`);
  // Half of the bytes of UTF-16 are zero. A few in other text are trouble of their cells.
  if (
    encoding !== undefined &&
    !isWide &&
    head.reduce((zeros, byte) => zeros + (byte === 0 ? 1 : 0), 0) * 10 > head.length
  ) {
    throw refusal(
      `${path} holds many zero bytes, so it is not ${encoding} text: if it is UTF-16, set source.encoding: utf-16le`,
    );
  }
}

function refusal(message: string): RollcallError {
  return new RollcallError(message, { code: 'SOURCE_UNAVAILABLE' });
}
