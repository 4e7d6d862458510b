import { isUtf8 } from 'node:buffer';
import { RollcallError } from '../../../core/run/errors.ts';
import type { CsvEncoding } from '../config.ts';

/** Turns a file's bytes into strict UTF-8 without a byte order mark. */
export interface Decoder {
  readonly encoding: CsvEncoding;
  /** Throws `SOURCE_UNAVAILABLE` with the byte where the encoding is wrong, and the setting to use. */
  decode(bytes: Buffer): Buffer;
  /** Returns whether the bytes end inside a character. Must be called once, after the last bytes. */
  isCut(): boolean;
}

/**
 * Chooses the decoder: as configured, else by the byte order mark, else strict UTF-8. `head` is the start of the
 * file.
 */
export function createDecoder(path: string, head: Buffer, configured: CsvEncoding | undefined): Decoder {
  const marked = byteOrderMarks.find(({ mark }) => head.subarray(0, mark.length).equals(mark))?.encoding;
  const encoding = configured ?? marked ?? 'utf-8';
  if (marked === undefined) refuseOtherFormats(path, head, encoding);
  return encoding === 'utf-8' ? decodeUtf8(path, configured) : decodeOther(path, encoding);
}

const byteOrderMarks: readonly { readonly mark: Buffer; readonly encoding: CsvEncoding }[] = [
  { mark: Buffer.of(0xef, 0xbb, 0xbf), encoding: 'utf-8' },
  { mark: Buffer.of(0xff, 0xfe), encoding: 'utf-16le' },
  { mark: Buffer.of(0xfe, 0xff), encoding: 'utf-16be' },
];

const zipSignature = Buffer.from('PK\x03\x04');

const gzipSignature = Buffer.of(0x1f, 0x8b);

/** ASCII armor (RFC 9580, 6.2). */
const pgpSignature = Buffer.from('-----BEGIN PGP ');

function refuseOtherFormats(path: string, head: Buffer, encoding: CsvEncoding): void {
  if (head.subarray(0, pgpSignature.length).equals(pgpSignature)) {
    throw refusal(
      `${path} is encrypted with PGP, which is not supported: decrypt it in a job before the run (docs/sources/csv.md)`,
    );
  }
  if (head.subarray(0, 4).equals(zipSignature)) {
    throw refusal(
      `${path} is a spreadsheet or zip file, not CSV: export it as "CSV UTF-8", or set source.compression: zip if it is packed`,
    );
  }
  if (head.subarray(0, 2).equals(gzipSignature)) {
    throw refusal(`${path} is gzip data, not CSV: set source.compression: gzip`);
  }
  if (!encoding.startsWith('utf-16') && head.includes(0)) {
    throw refusal(
      `${path} holds zero bytes, so it is not ${encoding} text: if it is UTF-16, set source.encoding: utf-16le`,
    );
  }
}

function decodeUtf8(path: string, configured: CsvEncoding | undefined): Decoder {
  let tail: Buffer = Buffer.alloc(0);
  let offset = 0;
  let isFirst = true;
  return {
    encoding: 'utf-8',
    isCut: () => tail.length > 0,
    decode(bytes) {
      const joined = tail.length === 0 ? bytes : Buffer.concat([tail, bytes]);
      const whole = joined.subarray(0, joined.length - unfinishedLength(joined));
      if (!isUtf8(whole)) {
        const at = offset + validLength(whole);
        const other = configured === undefined ? 'windows-1252' : 'the encoding that the export uses (windows-1252?)';
        throw refusal(
          `${path} is not UTF-8: byte ${at + 1} is not part of a character. ` +
            `If the export is from Windows or Excel, set source.encoding: ${other}`,
        );
      }
      tail = Buffer.from(joined.subarray(whole.length));
      offset += whole.length;
      const hasMark = isFirst && whole.subarray(0, 3).equals(Buffer.of(0xef, 0xbb, 0xbf));
      isFirst = false;
      return hasMark ? whole.subarray(3) : whole;
    },
  };
}

function decodeOther(path: string, encoding: CsvEncoding): Decoder {
  const decoder = new TextDecoder(encoding, { fatal: true });
  let length = 0;
  return {
    encoding,
    isCut() {
      try {
        decoder.decode();
        return false;
      } catch {
        return true;
      }
    },
    decode(bytes) {
      length += bytes.length;
      try {
        return Buffer.from(decoder.decode(bytes, { stream: true }));
      } catch {
        throw refusal(
          `${path} is not ${encoding}: a character within the ${bytes.length} bytes before byte ${length + 1} is broken. ` +
            'Set source.encoding to what the export uses, or leave it out',
        );
      }
    },
  };
}

/** Returns how many bytes at the end (0 to 3) start a character that the next chunk may complete. */
function unfinishedLength(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0;
  }
  return 0;
}

/** Returns the length of the longest valid UTF-8 prefix, by bisection. */
function validLength(bytes: Buffer): number {
  let good = 0;
  let bad = bytes.length;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    const part = bytes.subarray(0, middle);
    if (isUtf8(part.subarray(0, middle - unfinishedLength(part)))) good = middle;
    else bad = middle;
  }
  return good - unfinishedLength(bytes.subarray(0, good));
}

function refusal(message: string): RollcallError {
  return new RollcallError(message, { code: 'SOURCE_UNAVAILABLE' });
}
