import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import type { Dialect } from '../core/run/settings.ts';
import type { OperationBody } from '../drivers/http/message.ts';
import type { FileToUpload } from '../ports/platform.ts';

/**
 * Returns the body of an upload (contract, "POST admin/userFiles": keys `file` and `fileName`, encoding not shown).
 * Multipart streams a file on disk with a content-length, so any size works. The JSON forms hold the file in memory.
 */
export async function fileBody(
  file: FileToUpload,
  encoding: Dialect['upload']['encoding'],
): Promise<Exclude<OperationBody, { kind: 'text' }>> {
  if (encoding === 'multipart') return multipartBody(file);
  const content = 'content' in file ? Buffer.from(file.content) : await readFile(file.path);
  const text = content.toString(encoding === 'json' ? 'utf8' : 'base64');
  return { kind: 'json', value: { file: text, fileName: file.name } };
}

async function multipartBody(file: FileToUpload): Promise<Extract<OperationBody, { kind: 'stream' }>> {
  const size = 'content' in file ? file.content.length : (await stat(file.path)).size;
  const boundary = `rollcall-${randomBytes(16).toString('hex')}`;
  const head = Buffer.from(
    `--${boundary}\r\ncontent-disposition: form-data; name="fileName"\r\n\r\n${file.name}\r\n` +
      `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${escapeName(file.name)}"\r\n` +
      'content-type: text/csv\r\n\r\n',
  );
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  return {
    kind: 'stream',
    stream: {
      contentType: `multipart/form-data; boundary=${boundary}`,
      contentLength: head.length + size + tail.length,
      async *open() {
        yield head;
        // A file that grows during the upload must not break the framing, because the length is already sent.
        if ('content' in file) yield file.content;
        else if (size > 0) yield* createReadStream(file.path, { end: size - 1, highWaterMark: 64 * 1024 });
        yield tail;
      },
    },
  };
}

/** WHATWG HTML, "multipart/form-data encoding algorithm". */
function escapeName(name: string): string {
  return name.replace(/[\r\n"]/g, (character) => encodeURIComponent(character));
}
