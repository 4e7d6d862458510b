import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { PlatformError } from '../core/run/errors.ts';
import type { Dialect } from '../core/run/settings.ts';
import { AnswerInvalid, isRecord, type JsonText } from '../drivers/http/json-text.ts';
import type { OperationBody } from '../drivers/http/message.ts';
import type { FileStatus, FileToUpload, UploadReceipt } from '../ports/platform.ts';
import { contractCall } from './client/calls.ts';
import type { PlatformClient } from './client/client.ts';
import { resultOf } from './client/operation.ts';

/** A file to upload, and whether the field mapping that is configured on the platform applies to it. */
export type FileCall = FileToUpload & {
  /** Default: `dialect.upload.preprocessing`. */
  readonly preprocessing?: boolean;
};

/** Uploads a provisioning file. Throws `PLATFORM_BUSY` (effect `none`) while another file is being processed. */
export function uploadUserFile(
  client: PlatformClient,
  file: FileToUpload,
  signal: AbortSignal,
): Promise<UploadReceipt> {
  const { status } = client.dialect;
  return callUpload(client, file, (answer) => readReceipt(answer, status), signal);
}

/** Uploads a provisioning file, and returns what `read` makes of the answer. Throws as `uploadUserFile` does. */
export async function callUpload<T>(
  client: PlatformClient,
  file: FileCall,
  read: (answer: JsonText) => T,
  signal: AbortSignal,
): Promise<T> {
  const { upload, busyStatuses } = client.dialect;
  const body = await fileBody(file, upload.encoding);
  const { preprocessing = upload.preprocessing } = file;
  const operation = contractCall('upload', {
    // The default is omitted, because a strict platform may not know the parameter.
    ...(preprocessing ? { query: { preprocessing } } : {}),
    body,
    busyStatuses,
    answer: { expects: 'json', read },
  });
  return client.request(operation, signal);
}

/**
 * Reads the status of a file. The endpoint is assumed; where it does not exist (404, 405) the status is `no-status`.
 */
export async function readFileStatus(client: PlatformClient, fileId: string, signal: AbortSignal): Promise<FileStatus> {
  const { status } = client.dialect;
  const read = (answer: JsonText): FileStatus => {
    const { id, fileStatus, isBlocked } = readFileRecord(answer);
    if (id !== undefined && id !== fileId) throw new AnswerInvalid('`result.id` is not the requested file');
    const read = classifyFileStatus(fileStatus, status);
    return read.kind === 'pending' && read.isKnown && !isBlocked ? { ...read, isReleased: true } : read;
  };
  return (await callStatus(client, fileId, read, signal)) ?? { kind: 'no-status' };
}

/** Asks for the record of a file, and returns what `read` makes of it. Undefined where there is no such endpoint. */
export async function callStatus<T>(
  client: PlatformClient,
  fileId: string,
  read: (answer: JsonText) => T,
  signal: AbortSignal,
): Promise<T | undefined> {
  const finalStatuses = [404, 405];
  const call = contractCall('status', { params: { id: fileId }, finalStatuses, answer: { expects: 'json', read } });
  try {
    return await client.request({ ...call, path: client.dialect.status.path }, signal);
  } catch (error) {
    if (error instanceof PlatformError && finalStatuses.includes(error.status ?? 0)) return undefined;
    throw error;
  }
}

/**
 * Classifies a status text by the dialect's lists, ignoring case, and names it as the dialect does. An unknown one is
 * pending, never final; it is `raw`, because a platform can put any text there.
 */
export function classifyFileStatus(text: string, lists: Dialect['status']): FileStatus {
  const lower = text.trim().toLowerCase();
  const named = (list: readonly string[]): string | undefined =>
    list.find((entry) => entry.trim().toLowerCase() === lower);
  const [done, failed, pending] = [named(lists.done), named(lists.failed), named(lists.pending)];
  if (done !== undefined) return { kind: 'done', text: done };
  if (failed !== undefined) return { kind: 'failed', text: failed };
  if (pending !== undefined) return { kind: 'pending', text: pending, isKnown: true };
  return { kind: 'pending', text: 'unknown status', isKnown: false, raw: text };
}

/** Reads what an upload was answered. Throws `AnswerInvalid` without an id, because the file could not be followed. */
export function readReceipt(answer: JsonText, lists: Dialect['status']): UploadReceipt {
  const { id, fileStatus } = readFileRecord(answer);
  if (id === undefined) throw new AnswerInvalid('`result.id` is missing, so the file cannot be followed');
  return { fileId: id, status: classifyFileStatus(fileStatus, lists) };
}

/** Reads a file record (contract, "Provisioning file record"). Ids keep all their digits. */
export function readFileRecord(answer: JsonText): { id: string | undefined; fileStatus: string; isBlocked: boolean } {
  let record = resultOf(answer.value);
  if (isRecord(record) && typeof record.id === 'number' && !Number.isSafeInteger(record.id)) {
    record = resultOf(answer.exact());
  }
  if (!isRecord(record)) throw new AnswerInvalid('`result` is not a file record');
  const { id, fileStatus, blocked } = record;
  const isId = typeof id === 'number' || (typeof id === 'string' && id !== '');
  const text = typeof fileStatus === 'string' ? fileStatus : '';
  return { id: isId ? String(id) : undefined, fileStatus: text, isBlocked: blocked !== false };
}

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
