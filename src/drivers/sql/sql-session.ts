import type { Clock } from '../../ports/runtime.ts';

/** One read-only transaction on a database, so all its results are of one moment. */
export interface SqlSession {
  /** Returns the names of the query's columns in order. Reads no row. */
  columns(): Promise<readonly string[]>;
  /** Returns counts by the database itself, in the same transaction. */
  count(key: string): Promise<SqlCounts>;
  /**
   * Yields the rows in order of the key, at most `size` at a time. Call it once, and read it to its end or abandon
   * it.
   */
  pages(wanted: RowsWanted): AsyncGenerator<SqlPage, void>;
  /** Ends transaction and connection. Everything is closed when it resolves. */
  close(): Promise<void>;
}

/** Rows, and the same as JSON for the stamp of the read. */
export interface SqlPage {
  readonly rows: readonly SqlRow[];
  readonly json: string;
}

/** A row: dates as written, numbers that may lose digits as text, binary data in hexadecimal. */
export type SqlRow = Record<string, unknown>;

export interface SqlCounts {
  readonly rows: number;
  /** Rows with a key that is not null. */
  readonly keyed: number;
  /** Distinct keys, compared byte by byte. */
  readonly keys: number;
}

export interface RowsWanted {
  readonly key: string;
  readonly size: number;
  /** Only these people, by a column. May return a few more that differ in case or blanks. */
  readonly named: { readonly column: string; readonly identifications: readonly string[] } | undefined;
}

export interface SessionOptions {
  /** One statement that reads, without a trailing `;`. */
  readonly query: string;
  /** Folder from which relative paths of certificates and SQLite files are resolved. */
  readonly folder: string;
  /** The configuration's key of the url, for messages. */
  readonly key: string;
  /** Timeout of a statement in the database. This process gives up some seconds later. */
  readonly statementTimeoutMs: number;
  readonly clock: Clock;
  /** Aborts the connection. Pending calls fail at once. */
  readonly signal: AbortSignal;
}

export const connectTimeoutMs = 15_000;

/** Timeout for closing a connection, because a component in between may never close it. */
export const closeTimeoutMs = 2_000;

/** Additional wait beyond the database's own timeout. */
export const graceMs = 15_000;
