import { Readable } from 'node:stream';
import type { Entry, ZipFile } from 'yauzl';
import { RollcallError } from '../../core/run/errors.ts';
import type { Compression } from './config.ts';
import { maxFileBytes, type Spool, tooLarge } from './places/spool.ts';

const rawChunkBytes = 64 * 1024;

/** The file as it arrived. */
type Packed = Pick<Spool, 'length' | 'read'>;

/** Returns how the file is compressed: as configured, else by its extension. */
export function compressionOf(name: string, configured: Compression | undefined): Compression {
  if (configured !== undefined) return configured;
  if (/\.gz$/i.test(name)) return 'gzip';
  return /\.zip$/i.test(name) ? 'zip' : 'none';
}

/**
 * Yields the CSV text of a file. Throws `SOURCE_UNAVAILABLE` for a damaged archive: wrong checksum, an early end,
 * bytes after the end, several entries. Text yielded before that must not be used.
 */
export async function* unpack(name: string, compression: Compression, spool: Packed): AsyncGenerator<Uint8Array> {
  let length = 0;
  try {
    for await (const chunk of contentOf(name, compression, spool)) {
      length += chunk.length;
      if (length > maxFileBytes) throw tooLarge(name);
      yield chunk;
    }
  } catch (error) {
    if (error instanceof RollcallError) throw error;
    throw damaged(name, compression, (error as NodeJS.ErrnoException).code ?? 'its directory cannot be read');
  }
}

async function* contentOf(name: string, compression: Compression, spool: Packed): AsyncGenerator<Uint8Array> {
  const isPacked = compression !== 'gzip' || (await isGzip(spool));
  // A web server that knows `.gz` may have decompressed the file in transit.
  if (compression === 'none' || !isPacked) yield* bytesOf(spool);
  else if (compression === 'gzip') yield* gunzip(spool);
  else yield* unzip(name, spool);
}

async function* bytesOf(spool: Packed, start = 0, end = spool.length): AsyncGenerator<Uint8Array> {
  for (let position = start; position < end; ) {
    const bytes = await spool.read(position, Math.min(rawChunkBytes, end - position));
    if (bytes.length === 0) return;
    position += bytes.length;
    yield bytes;
  }
}

async function isGzip(spool: Packed): Promise<boolean> {
  const start = await spool.read(0, 2);
  return start.length < 2 || (start[0] === 0x1f && start[1] === 0x8b);
}

/** RFC 1952: consecutive members are one file. Zero bytes after the last one are padding, anything else is an error. */
async function* gunzip(spool: Packed): AsyncGenerator<Uint8Array> {
  const raw = Readable.from(bytesOf(spool));
  const unpacked = process.getBuiltinModule('node:zlib').createGunzip();
  raw.on('error', (error) => unpacked.destroy(error));
  try {
    yield* raw.pipe(unpacked);
  } finally {
    raw.destroy();
    unpacked.destroy();
  }
}

async function* unzip(name: string, spool: Packed): AsyncGenerator<Uint8Array> {
  // Loaded only where it is used.
  const { fromRandomAccessReaderPromise, RandomAccessReader } = await import('yauzl');
  class SpoolReader extends RandomAccessReader {
    override _readStreamForRange(start: number, end: number): Readable {
      return Readable.from(bytesOf(spool, start, end));
    }
  }
  const archive = await fromRandomAccessReaderPromise(new SpoolReader(), spool.length, { autoClose: false });
  const entry = await onlyEntry(name, archive);
  const stream = await archive.openReadStreamPromise(entry);
  let checksum = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      checksum = process.getBuiltinModule('node:zlib').crc32(chunk, checksum);
      yield chunk;
    }
  } finally {
    stream.destroy();
  }
  if (checksum !== entry.crc32) throw damaged(name, 'zip', 'its checksum is wrong');
}

async function onlyEntry(name: string, archive: ZipFile): Promise<Entry> {
  let count = 0;
  let only: Entry | undefined;
  for await (const entry of archive.eachEntry()) {
    // Folders, and files that macOS adds.
    if (entry.fileName.endsWith('/') || entry.fileName.startsWith('__MACOSX/')) continue;
    count += 1;
    only ??= entry;
  }
  if (only === undefined || count > 1) {
    const message = `${name} holds ${count} files, and it is unclear which one is the export: compress only the CSV file`;
    throw new RollcallError(message, { code: 'SOURCE_UNAVAILABLE' });
  }
  if (only.isEncrypted()) {
    const message = `${name} is protected by a password, which is not supported: create it without one`;
    throw new RollcallError(message, { code: 'SOURCE_UNAVAILABLE' });
  }
  return only;
}

function damaged(name: string, compression: Compression, why: string): RollcallError {
  const message =
    `${name} is damaged or incomplete ${compression} data (${why}): none of it was used. ` +
    'It may still be in transfer; otherwise export it again';
  return new RollcallError(message, { code: 'SOURCE_UNAVAILABLE', retry: 'backoff' });
}
