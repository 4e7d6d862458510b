import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { RollcallError } from '../../core/errors.ts';
import type { Sink } from './place.ts';

/** A local copy of a file, for one read. */
export interface Spool extends Sink {
  readonly handle: FileHandle;
  readonly length: number;
  /** SHA-256 of its content, in hexadecimal. */
  digest(): string;
  close(): Promise<void>;
}

/** No export of employees is this large. A full disk would stop everything else too. */
export const maxFileBytes = 4 * 1024 ** 3;

/**
 * Opens a copy in the folder, readable for this process's user only. Its name is removed at once, so the copy
 * disappears with the process. `enough` is the number of bytes needed, when not all are.
 */
export async function openSpool(folder: string, name: string, enough?: number): Promise<Spool> {
  const path = join(folder, `spool-${randomUUID()}`);
  const handle = await open(path, 'wx+', 0o600).catch((cause: unknown) => {
    throw spoolError(folder, cause);
  });
  await unlink(path);
  let hash = createHash('sha256');
  let length = 0;
  return {
    handle,
    get length() {
      return length;
    },
    digest: () => hash.copy().digest('hex'),
    close: () => handle.close(),
    async restart() {
      await handle.truncate(0);
      hash = createHash('sha256');
      length = 0;
    },
    async write(chunk) {
      await writeAll(handle, chunk, length).catch((cause: unknown) => {
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
  const message = `${name} is larger than ${maxFileBytes / 1024 ** 3} GB, which no export of employees is: nothing was read`;
  return new RollcallError(message, { code: 'SOURCE_UNAVAILABLE' });
}

function spoolError(folder: string, cause: unknown): RollcallError {
  const code = (cause as NodeJS.ErrnoException).code ?? 'unknown error';
  const message = `the file cannot be stored in ${folder} during the read (${code}): check that the disk has space and the folder is writable`;
  return new RollcallError(message, { code: 'SOURCE_UNAVAILABLE', retry: 'backoff', cause });
}
