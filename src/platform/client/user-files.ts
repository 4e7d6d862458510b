import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { PlatformError } from '../../core/run/errors.ts';
import { exactValue } from '../../drivers/http/json-text.ts';
import type { FileStatus, FileToUpload, UploadReceipt } from '../../ports/platform.ts';
import { UserFileRecord } from '../table/administration.ts';
import { operationOf } from '../table/operations.ts';
import { callUpload, readFileStatus, readReceipt } from '../user-file.ts';
import type { PlatformClient } from './client.ts';
import { unaborted } from './defaults.ts';
import { cancelledError } from './errors.ts';
import { operationName, parseBy, resultOf } from './operation.ts';

/** A CSV file to upload, and the name under which the platform gets it. */
export interface UploadFileName {
  readonly name: string;
  /**
   * Whether the platform applies its configured field mapping. Default: `dialect.upload.preprocessing`, which is false.
   */
  readonly preprocessing?: boolean;
}

/**
 * A CSV file: text (sent as UTF-8), bytes, a stream, or a path. A stream is read into memory first, because the length of
 * the request is sent before it, and a refused token makes the request go out twice. A `path` is streamed from disk.
 */
export type UploadFile = UploadFileName &
  (
    | {
        readonly content:
          | string
          | Uint8Array
          | AsyncIterable<string | Uint8Array>
          | ReadableStream<string | Uint8Array>;
      }
    | { readonly path: string }
  );

/** An accepted file. `record` is the contract's "Provisioning file record". */
export interface UploadedFile extends UploadReceipt {
  readonly record: UserFileRecord;
}

/** Bulk provisioning (contract, "POST admin/userFiles"). The file's header decides between full and partial. */
export interface UserFiles {
  /**
   * Uploads a CSV file (contract, "POST /os-api/public-api/v1/admin/userFiles/"), encoded as the dialect says. A file
   * without a `command` column is full provisioning: it disables every user who is absent from it. Throws `USAGE`
   * (effect `none`) for a file that cannot be read.
   */
  upload(file: UploadFile, signal?: AbortSignal): Promise<UploadedFile>;
  /** Reads the status of a file. The contract shows no such operation; it is assumed, by `dialect.status.path`. */
  status(fileId: string, signal?: AbortSignal): Promise<FileStatus>;
}

/** Opens the provisioning part of the contract over one client. */
export function openUserFiles(client: PlatformClient): UserFiles {
  return {
    async upload(file, signal = unaborted()) {
      const { preprocessing } = file;
      const call = { ...(await readable(file, signal)), ...(preprocessing === undefined ? {} : { preprocessing }) };
      return callUpload(
        client,
        call,
        (answer) => ({
          ...readReceipt(answer, client.dialect.status),
          record: parseBy(UserFileRecord, resultOf(exactValue(answer))),
        }),
        signal,
      );
    },
    status: async (fileId, signal = unaborted()) => readFileStatus(client, fileId, signal),
  };
}

/** Returns the file in memory or on disk. */
async function readable(file: UploadFile, signal: AbortSignal): Promise<FileToUpload> {
  const { name } = file;
  try {
    if ('path' in file) {
      await stat(file.path);
      return { name, path: file.path };
    }
    const { content } = file;
    if (typeof content === 'string') return { name, content: Buffer.from(content) };
    return { name, content: content instanceof Uint8Array ? content : await collected(content, signal) };
  } catch (error) {
    if (signal.aborted) throw cancelledError(operationOf('upload'), signal.reason, 'none');
    throw unreadable(error);
  }
}

async function collected(content: AsyncIterable<unknown>, signal: AbortSignal): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of Readable.from(content, { objectMode: true, signal })) {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) throw new TypeError('neither text nor bytes');
    chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  }
  return Buffer.concat(chunks);
}

/** Describes why a file cannot be read without text of the system, which may hold a path. */
function unreadable(error: unknown): PlatformError {
  const name = operationName(operationOf('upload'));
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? ` (${error.code})` : '';
  const message = `${name} was not sent: the file cannot be read${code}. Give text, bytes, a stream of them, or the path of a file.`;
  return new PlatformError(message, { code: 'USAGE', effect: 'none', operation: name, cause: error });
}
