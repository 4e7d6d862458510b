import { pipeline, type Readable } from 'node:stream';
import { AnswerInvalid } from './json-text.ts';

/** What decides how the bytes of an answer are read. */
export interface AnswerHead {
  readonly method: string;
  readonly status: number;
  /** The header `content-encoding`; undefined when it is absent. */
  readonly encoding: string | undefined;
}

/**
 * Returns the decoded body of an answer and owns the errors of every stream behind it. The reader receives the error.
 * If the body is never read, the error is dropped, so it cannot end the process. Throws `AnswerInvalid` for an encoding
 * that was not requested.
 */
export function decodedBody(raw: Readable, { method, status, encoding }: AnswerHead): AsyncIterable<Uint8Array> {
  const body = owned(raw);
  if (hasNoContent(method, status)) {
    // The headers describe the body that a GET would have, so an encoding here announces no bytes.
    body.resume();
    return noBytes();
  }
  switch (encoding?.trim().toLowerCase() || 'identity') {
    case 'identity':
      return body;
    case 'gzip':
    case 'x-gzip': {
      const gunzip = owned(process.getBuiltinModule('node:zlib').createGunzip());
      // `pipeline` passes an error to the last stream, where the reader receives it.
      pipeline(body, gunzip, () => {});
      return gunzip;
    }
    default:
      body.destroy();
      throw new AnswerInvalid('the body uses a compression that was not requested', true);
  }
}

/**
 * Registers an error listener for the whole life of a stream. Without one, Node.js ends the process when a stream fails
 * before or after it is read.
 */
export function owned<T extends Readable>(stream: T): T {
  stream.on('error', () => {});
  return stream;
}

/** Answers that have no content by definition (RFC 9110, 6.4.1). */
function hasNoContent(method: string, status: number): boolean {
  return method === 'HEAD' || status === 204 || status === 205 || status === 304;
}

/** A body without bytes. */
export async function* noBytes(): AsyncGenerator<Uint8Array> {}
