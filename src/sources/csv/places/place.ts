import type { SourceIo } from '../../../ports/source.ts';
import type { Found } from './newest.ts';

/** Location of CSV files. */
export interface Place {
  /** Opens a connection, runs `work` with it, and closes it however that ends. Throws `SOURCE_UNAVAILABLE`. */
  visit<T>(io: SourceIo, work: (visit: Visit) => Promise<T>): Promise<T>;
}

/** An open connection to the files. A file is identified by its path, address or key. */
export interface Visit {
  /** Returns the file to read: the configured one, or the newest match of a pattern. Throws when there is none. */
  find(): Promise<Found>;
  /** Returns the file's name for messages. Holds no credential. */
  nameOf(file: string): string;
  /** Returns the file's current state; undefined when it does not exist. */
  stat(file: string): Promise<FileState | undefined>;
  /** Transfers the bytes until the end or until the sink has enough. Returns the file's state at the start. */
  fetch(file: string, sink: Sink): Promise<FileState>;
}

/** Shows whether a file was written in the meantime. */
export interface FileState {
  /** Undefined where the server does not report it. */
  readonly bytes: number | undefined;
  /** Differs after each write: time, ETag. Undefined where the server shows none. */
  readonly version: string | undefined;
  /** The version is a time alone. A server that makes the file for each request shows another one each time. */
  readonly isTimeOnly?: boolean;
  /** Epoch nanoseconds. */
  readonly writtenAtNs: bigint | undefined;
  /** The encoding that the server names. */
  readonly charset?: string | undefined;
}

/** Receives a file's bytes. */
export interface Sink {
  /** Discards the bytes, because the transfer starts again. */
  restart(): Promise<void>;
  /** Returns false when the reader needs no further bytes. */
  write(chunk: Uint8Array): Promise<boolean>;
}

/** Returns a sink that keeps at most `limit` bytes in memory, and one more to show that there were more. */
export function memorySink(limit: number): Sink & { bytes(): Buffer } {
  let chunks: Uint8Array[] = [];
  let length = 0;
  return {
    restart: async () => {
      chunks = [];
      length = 0;
    },
    write: async (chunk) => {
      chunks.push(chunk.subarray(0, limit + 1 - length));
      length = Math.min(limit + 1, length + chunk.length);
      return length <= limit;
    },
    bytes: () => Buffer.concat(chunks),
  };
}
