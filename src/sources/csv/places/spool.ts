import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { RollcallError } from '../../../core/run/errors.ts';
import { scratchCipher, scratchKeyBytes } from '../../../core/run/scratch-cipher.ts';
import type { Sink } from './place.ts';

/** A local copy of a file, for one read. */
export interface Spool extends Sink {
  readonly length: number;
  /** Returns up to `length` bytes from a position on; none at the end. */
  read(position: number, length: number): Promise<Buffer>;
  /** SHA-256 of its content, in hexadecimal. */
  digest(): string;
  close(): Promise<void>;
}

/** No export of employees is this large. A full disk would stop everything else too. */
export const maxFileBytes = 4 * 1024 ** 3;

/**
 * Opens a copy in the folder, readable for this process's user only. Its name is removed at once, so the copy
 * disappears with the process, and its bytes are encrypted with a key in memory. `enough` is the number of bytes needed, when not all are.
 */
export async function openSpool(folder: string, name: string, enough?: number): Promise<Spool> {
  const path = join(folder, `spool-${randomUUID()}`);
  const handle = await open(path, 'wx+', 0o600).catch((cause: unknown) => {
    throw spoolError(folder, cause);
  });
  await unlink(path);
  let hash = createHash('sha256');
  let length = 0;
  let key = randomBytes(scratchKeyBytes);
  let encrypt = scratchCipher(key, 0);
  return {
    get length() {
      return length;
    },
    digest: () => hash.copy().digest('hex'),
    close: () => handle.close(),
    async read(position, count) {
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(count), 0, count, position);
      return scratchCipher(key, position)(buffer.subarray(0, bytesRead));
    },
    async restart() {
      await handle.truncate(0);
      key = randomBytes(scratchKeyBytes);
      encrypt = scratchCipher(key, 0);
      hash = createHash('sha256');
      length = 0;
    },
    async write(chunk) {
      await writeAll(handle, encrypt(chunk), length).catch((cause: unknown) => {
        throw spoolError(folder, cause);
      });
      hash.update(chunk);
      length += chunk.length;
      if (length > maxFileBytes) throw tooLarge(name);
      return enough === undefined || length < enough;
    },
  };
}

async function writeAll(handle: FileHandle, chunk: Uint8Array, position: number): Promise<void> {
  for (let at = 0; at < chunk.length; ) {
    at += (await handle.write(chunk, at, chunk.length - at, position + at)).bytesWritten;
  }
}

/** Returns the error for a file above `maxFileBytes`, compressed or not. */
export function tooLarge(name: string): RollcallError {
  const message = `${name} is larger than ${maxFileBytes / 1024 ** 3} GB, so it is not an export of employees: nothing was read`;
  return new RollcallError(message, { code: 'SOURCE_UNAVAILABLE' });
}

function spoolError(folder: string, cause: unknown): RollcallError {
  const code = (cause as NodeJS.ErrnoException).code ?? 'unknown error';
  const message = `the file cannot be stored in ${folder} during the read (${code}): check that the disk has space and the folder is writable`;
  return new RollcallError(message, { code: 'SOURCE_UNAVAILABLE', retry: 'backoff', cause });
}
