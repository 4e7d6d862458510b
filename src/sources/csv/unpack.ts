import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { crc32, createGunzip } from 'node:zlib';
import type { Entry, ZipFile } from 'yauzl';
import { RollcallError } from '../../core/errors.ts';
import type { Compression } from './schema.ts';
import { maxFileBytes, tooLarge } from './spool.ts';

const rawChunkBytes = 64 * 1024;

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
export async function* unpack(name: string, compression: Compression, handle: FileHandle): AsyncGenerator<Uint8Array> {
  let length = 0;
  try {
    for await (const chunk of contentOf(name, compression, handle)) {
      length += chunk.length;
      if (length > maxFileBytes) throw tooLarge(name);
      yield chunk;
    }
  } catch (error) {
    if (error instanceof RollcallError) throw error;
    throw damaged(name, compression, (error as NodeJS.ErrnoException).code ?? 'its directory cannot be read');
  }
}

async function* contentOf(name: string, compression: Compression, handle: FileHandle): AsyncGenerator<Uint8Array> {
  const isPacked = compression !== 'gzip' || (await isGzip(handle));
  // A web server that knows `.gz` may have decompressed the file in transit.
  if (compression === 'none' || !isPacked) yield* bytesOf(handle);
  else if (compression === 'gzip') yield* gunzip(handle);
  else yield* unzip(name, handle);
}

async function* bytesOf(handle: FileHandle): AsyncGenerator<Uint8Array> {
  for (let position = 0; ; ) {
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(rawChunkBytes), 0, rawChunkBytes, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

async function isGzip(handle: FileHandle): Promise<boolean> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(2), 0, 2, 0);
  return bytesRead < 2 || (buffer[0] === 0x1f && buffer[1] === 0x8b);
}

/** RFC 1952: consecutive members are one file. Zero bytes after the last one are padding, anything else is an error. */
async function* gunzip(handle: FileHandle): AsyncGenerator<Uint8Array> {
  const raw = Readable.from(bytesOf(handle));
  const unpacked = createGunzip();
  raw.on('error', (error) => unpacked.destroy(error));
  try {
    yield* raw.pipe(unpacked);
  } finally {
    raw.destroy();
    unpacked.destroy();
  }
}

async function* unzip(name: string, handle: FileHandle): AsyncGenerator<Uint8Array> {
  // Loaded only where it is used.
  const { fromFdPromise } = await import('yauzl');
  const archive = await fromFdPromise(handle.fd, { lazyEntries: true, autoClose: false });
  const entry = await onlyEntry(name, archive);
  const stream = await archive.openReadStreamPromise(entry);
  let checksum = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      checksum = crc32(chunk, checksum);
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
    const message = `${name} holds ${count} files, and it is unclear which one is the export: compress the CSV file alone`;
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
