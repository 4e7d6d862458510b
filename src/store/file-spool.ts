import { randomBytes, randomUUID } from 'node:crypto';
import { closeSync, ftruncateSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { scratchCipher, scratchKeyBytes } from '../core/run/scratch-cipher.ts';
import type { Spool } from '../ports/spool.ts';

const bufferBytes = 1 << 20;
const firstReadBytes = 1024;

/**
 * Opens a spool in a file that is unlinked as soon as it is open, so it disappears with the process. Its bytes are
 * encrypted with a key in memory. A record is a 4-byte length and UTF-8 text, before encryption. Synchronous on purpose: a read is one `pread` from the page cache, which takes
 * microseconds, and an await would cost more.
 */
export function openFileSpool(folder: string): Spool {
  const path = join(folder, `spool-${randomUUID()}`);
  const file = openSync(path, 'wx+', 0o600);
  unlinkSync(path);
  const key = randomBytes(scratchKeyBytes);
  const encrypt = scratchCipher(key, 0);
  const buffer = Buffer.allocUnsafe(bufferBytes);
  let buffered = 0;
  let written = 0;
  let scratch = Buffer.allocUnsafe(firstReadBytes);

  const write = (bytes: Buffer, length: number): void => {
    const encrypted = encrypt(bytes.subarray(0, length));
    for (let at = 0; at < length; ) at += writeSync(file, encrypted, at, length - at, written + at);
    written += length;
  };
  const flush = (): void => {
    write(buffer, buffered);
    buffered = 0;
  };
  const fill = (into: Buffer, place: number): number => readSync(file, into, 0, into.length, place);

  return {
    append(text) {
      const place = written + buffered;
      // A UTF-16 code unit takes at most three bytes of UTF-8.
      const most = 4 + text.length * 3;
      if (buffered + most > bufferBytes) flush();
      if (most > bufferBytes) {
        const body = Buffer.from(text);
        const head = Buffer.allocUnsafe(4);
        head.writeUInt32LE(body.length);
        write(Buffer.concat([head, body]), 4 + body.length);
        return place;
      }
      const length = buffer.write(text, buffered + 4);
      buffer.writeUInt32LE(length, buffered);
      buffered += 4 + length;
      return place;
    },
    read(place) {
      if (place + 4 > written) flush();
      const got = fill(scratch, place);
      if (got < 4) throw new RangeError('the spool has no record at this position');
      const decrypt = scratchCipher(key, place);
      const start = decrypt(scratch.subarray(0, got));
      const length = start.readUInt32LE(0);
      if (got >= 4 + length) return start.toString('utf8', 4, 4 + length);
      scratch = Buffer.allocUnsafe(2 ** Math.ceil(Math.log2(4 + length)));
      fill(scratch, place);
      const rest = decrypt(scratch.subarray(got, 4 + length));
      return Buffer.concat([start.subarray(4), rest]).toString('utf8');
    },
    close() {
      ftruncateSync(file);
      closeSync(file);
    },
  };
}
