import { randomBytes, randomUUID } from 'node:crypto';
import { closeSync, ftruncateSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { RollcallError } from '../../core/run/errors.ts';
import { scratchCipher, scratchKeyBytes } from '../../core/run/scratch-cipher.ts';
import type { Spool } from '../../ports/runtime.ts';

/** Files older than this were left by a killed process. */
const leftoverMs = 3_600_000;

/**
 * Opens the folder of temporary files, readable by this user only, below the configuration's folder. Deletes the files
 * that killed processes left there. Throws `STORE_INVALID` when the folder cannot be created.
 */
export async function openScratchFolder(configFolder: string, now: number): Promise<string> {
  const folder = join(configFolder, '.rollcall', 'scratch');
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((cause: NodeJS.ErrnoException) => {
    const why = cause.code ?? 'for an unknown reason';
    const message = `the folder of temporary files, ${folder}, cannot be created (${why}). Check the owner and the permissions of the configuration's folder.`;
    throw new RollcallError(message, { code: 'STORE_INVALID', cause });
  });
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && now - found.mtimeMs > leftoverMs) await rm(path, { force: true });
  }
  return folder;
}

const bufferBytes = 1 << 20;
/** So many bytes stay in memory, as they are: most plans write no file. */
const memoryBytes = 48 * bufferBytes;
/** Some forty records. A cipher costs as much as they do. */
const windowBytes = 16 << 10;

/**
 * Opens a spool in memory. Beyond `inMemory` bytes, all of it goes to a file. A record is a 4-byte length and UTF-8 text.
 * Synchronous on purpose: a read takes microseconds, and an await would cost more.
 */
export function openFileSpool(folder: string, inMemory = memoryBytes): Spool {
  let buffer = Buffer.allocUnsafe(bufferBytes);
  let buffered = 0;
  /** Where the buffer begins. */
  let begin = 0;
  /** Full buffers, each as long as the others. Empty once there is a file. */
  const kept: Buffer[] = [];
  let file: SealedFile | undefined;
  let room = inMemory;

  /** Makes room. Records of a file follow each other, and in memory none is in two buffers. */
  const flush = (): void => {
    if (file === undefined && begin + bufferBytes < room) {
      kept.push(buffer);
      buffer = Buffer.allocUnsafe(bufferBytes);
      begin += bufferBytes;
    } else {
      file ??= openSealedFile(folder);
      for (const full of kept.splice(0)) file.write(full);
      file.write(buffer.subarray(0, buffered));
      begin += buffered;
    }
    buffered = 0;
  };

  return {
    append(text) {
      // A UTF-16 code unit takes at most three bytes of UTF-8.
      const most = 4 + text.length * 3;
      if (buffered + most > bufferBytes) flush();
      const place = begin + buffered;
      if (most > bufferBytes) {
        const body = Buffer.from(text);
        const head = Buffer.allocUnsafe(4);
        head.writeUInt32LE(body.length);
        room = 0;
        flush();
        file?.write(Buffer.concat([head, body]));
        begin += 4 + body.length;
        return place;
      }
      const length = buffer.write(text, buffered + 4);
      buffer.writeUInt32LE(length, buffered);
      buffered += 4 + length;
      return place;
    },
    read(place) {
      const text =
        place >= begin
          ? recordIn(buffer.subarray(0, buffered), place - begin)
          : file === undefined
            ? recordIn(kept[Math.floor(place / bufferBytes)], place % bufferBytes)
            : file.read(place);
      if (text === undefined) throw new RangeError('the spool has no record at this position');
      return text;
    },
    close() {
      kept.length = 0;
      file?.close();
    },
  };
}

type SealedFile = ReturnType<typeof openSealedFile>;

/** A file that is unlinked as soon as it is open, so it disappears with the process, encrypted with a key in memory. */
function openSealedFile(folder: string) {
  const path = join(folder, `spool-${randomUUID()}`);
  const file = openSync(path, 'wx+', 0o600);
  unlinkSync(path);
  const key = randomBytes(scratchKeyBytes);
  const encrypt = scratchCipher(key, 0);
  let written = 0;
  /** What was read last, decrypted: records are read in about the order in which they were written. */
  let window: Buffer = Buffer.alloc(0);
  let from = 0;

  return {
    write(bytes: Buffer) {
      const encrypted = encrypt(bytes);
      for (let at = 0; at < bytes.length; ) at += writeSync(file, encrypted, at, bytes.length - at, written + at);
      written += bytes.length;
    },
    read(place: number) {
      for (let size = windowBytes; ; size *= 8) {
        const known = place < from ? undefined : recordIn(window, place - from);
        const isAll = place >= written || (place === from && from + window.length >= written);
        if (known !== undefined || isAll) return known;
        const bytes = Buffer.allocUnsafe(size);
        window = scratchCipher(key, place)(bytes.subarray(0, readSync(file, bytes, 0, size, place)));
        from = place;
      }
    },
    close() {
      ftruncateSync(file);
      closeSync(file);
    },
  };
}

/** Returns the record that begins there. */
function recordIn(bytes: Buffer | undefined, from: number): string | undefined {
  if (bytes === undefined || from + 4 > bytes.length) return undefined;
  const end = from + 4 + bytes.readUInt32LE(from);
  return end > bytes.length ? undefined : bytes.toString('utf8', from + 4, end);
}
