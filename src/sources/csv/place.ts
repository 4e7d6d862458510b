import type { SourceIo } from '../../ports/source.ts';

/** Where CSV files lie. */
export interface Place {
  /** Opens the way there, lets `work` go along it, and closes it however that ends. Troubles are `SOURCE_UNAVAILABLE`. */
  visit<T>(io: SourceIo, work: (visit: Visit) => Promise<T>): Promise<T>;
}

/** The way to the files while it is open. A file is named by its path, address or key. */
export interface Visit {
  /** Names the file to read: the configured one, or the newest of a pattern. Throws when there is none. */
  find(): Promise<string>;
  /** What people call the file. Holds no credential. */
  nameOf(file: string): string;
  /** How it stands now; undefined when it is not there. */
  stat(file: string): Promise<FileState | undefined>;
  /** Carries the bytes over, until the end or until the sink has enough; says how the file stood at the beginning. */
  fetch(file: string, sink: Sink): Promise<FileState>;
}

/** What shows whether a file was written meanwhile. */
export interface FileState {
  /** Undefined where the server does not say. */
  readonly bytes: number | undefined;
  /** Another one after each writing: time, ETag. Undefined where the server shows none. */
  readonly version: string | undefined;
  /** Epoch nanoseconds. */
  readonly writtenAtNs: bigint | undefined;
}

/** Takes a file's bytes. */
export interface Sink {
  /** Forgets what it has: the transfer begins anew. */
  restart(): Promise<void>;
  /** False when it needs no more. */
  write(chunk: Uint8Array): Promise<boolean>;
}

/** A sink that keeps at most `limit` bytes in memory, and one more to tell that there were more. */
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
