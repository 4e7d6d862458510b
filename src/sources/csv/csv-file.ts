import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { RollcallError } from '../../core/run/errors.ts';
import { type Marker, readMarker } from './marker.ts';
import type { FileRank } from './places/newest.ts';

/** The file of one read: its text, once from the start, and whether it changed meanwhile. */
export interface CsvFile {
  /** Name in messages: path or address. */
  readonly name: string;
  /** Returns the next bytes; undefined at the end. */
  next(): Promise<Buffer | undefined>;
  /** Returns why the bytes read are not the current file; empty when they are. */
  movements(): Promise<readonly string[]>;
  /** SHA-256 of the bytes read so far, in hexadecimal. */
  digest(): string;
  /** SHA-256 of the stored file, where it is compressed. */
  readonly packedDigest?: string;
  /**
   * When the file was last written, as of its opening, in epoch nanoseconds. Undefined where the server does not
   * report it.
   */
  readonly writtenAtNs: bigint | undefined;
  /** The encoding that the server of the file names. */
  readonly charset?: string | undefined;
  /** Name of another file of the pattern that was written after it. */
  readonly later?: string | undefined;
  /** The newest file of each other kind of the pattern: see `chooseNewest`. */
  readonly others?: readonly string[];
  /** Its rank among the files of a pattern. */
  readonly rank?: FileRank;
  /** Returns the marker of the file, or a sentence when it is missing or unreadable. */
  marker(): Promise<Marker | string>;
  close(): Promise<void>;
}

/** Bytes per read; the header must fit. Every chunk except the last has this length. */
export const chunkBytes = 64 * 1024;

/** Opens a file of this machine. Throws `SOURCE_UNAVAILABLE` with its path and the next step. */
export async function openCsvFile(path: string, marker: string): Promise<CsvFile> {
  // Without O_NONBLOCK, opening a pipe waits for a writer, which may never come, and cannot be stopped.
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  try {
    return await watchFile(path, marker, handle);
  } catch (error) {
    await handle.close();
    throw error instanceof RollcallError ? error : unreadable(path, error);
  }
}

async function watchFile(path: string, marker: string, handle: FileHandle): Promise<CsvFile> {
  const before = await handle.stat({ bigint: true });
  if (!before.isFile()) {
    throw notRegular(path);
  }
  const hash = createHash('sha256');
  let bytesRead = 0;
  return {
    name: path,
    writtenAtNs: before.mtimeNs,
    marker: () => readMarker(marker),
    digest: () => hash.copy().digest('hex'),
    close: () => handle.close(),
    async next() {
      // A new buffer for each chunk, because the CSV parser keeps a view of the last one.
      const chunk = Buffer.allocUnsafe(chunkBytes);
      const length = await fill(handle, chunk, path);
      if (length === 0) return undefined;
      bytesRead += length;
      const bytes = chunk.subarray(0, length);
      hash.update(bytes);
      return bytes;
    },
    async movements() {
      const [after, atPath] = await Promise.all([
        handle.stat({ bigint: true }),
        stat(path, { bigint: true }).catch(() => undefined),
      ]);
      const reasons: string[] = [];
      if (atPath === undefined) reasons.push(`${path} was removed while it was read`);
      else if (atPath.ino !== before.ino || atPath.dev !== before.dev) {
        reasons.push(`${path} was replaced by another file while it was read`);
      }
      if (after.size !== before.size || after.size !== BigInt(bytesRead)) {
        reasons.push(
          `${path} had ${before.size} bytes at first and ${after.size} at the end: it is still being written`,
        );
      } else if (after.mtimeNs !== before.mtimeNs) {
        reasons.push(`${path} was written while it was read`);
      }
      return reasons;
    },
  };
}

/** A folder, pipe, socket or device. */
export function notRegular(path: string): RollcallError {
  const message = `${path} is not a file: a folder, pipe or device cannot be read. Set source.path to the CSV file`;
  return new RollcallError(message, { code: 'SOURCE_UNAVAILABLE' });
}

async function fill(handle: FileHandle, chunk: Buffer, path: string): Promise<number> {
  let length = 0;
  while (length < chunk.length) {
    const { bytesRead } = await handle.read(chunk, length, chunk.length - length).catch((error: unknown) => {
      throw unreadable(path, error);
    });
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return length;
}

const advice: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file: check the path, and that the export has run',
  ENOTDIR: 'a part of the path is not a folder: check source.path',
  EISDIR: 'it is a folder: set source.path to the CSV file',
  EACCES: 'this process may not read it: give its user the right to read the file and its folders',
  EPERM: 'this process may not read it: give its user the right to read the file and its folders',
};

/** Returns why a file of this machine cannot be read, and the next step. */
export function unreadable(path: string, cause: unknown): RollcallError {
  const code = (cause as NodeJS.ErrnoException).code ?? 'unknown error';
  const what = advice[code] ?? 'check its disk or share';
  return new RollcallError(`cannot read ${path} (${code}): ${what}`, {
    code: 'SOURCE_UNAVAILABLE',
    retry: 'backoff',
    cause,
  });
}
