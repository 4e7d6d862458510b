import type { Clock } from '../../ports/runtime.ts';

/** One read-only transaction on a database: everything asked of it is of one moment. */
export interface SqlSession {
  /** The names of the query's columns, in their order; reads no row. */
  columns(): Promise<readonly string[]>;
  /** Counts by the database itself, in the same transaction. */
  count(key: string): Promise<SqlCounts>;
  /** The rows in order of the key, at most `size` at a time. To be called once, and left or read to its end. */
  pages(wanted: RowsWanted): AsyncGenerator<SqlPage, void>;
  /** Ends transaction and connection. Nothing is open when it has come back. */
  close(): Promise<void>;
}

/** Some rows, and the same as JSON, for the stamp of the read. */
export interface SqlPage {
  readonly rows: readonly SqlRow[];
  readonly json: string;
}

/** A row: dates as written, numbers that may lose digits as text, binary as hexadecimal digits. */
export type SqlRow = Record<string, unknown>;

export interface SqlCounts {
  readonly rows: number;
  /** Rows whose key is not null. */
  readonly keyed: number;
  /** Different keys, compared byte by byte. */
  readonly keys: number;
}

export interface RowsWanted {
  readonly key: string;
  readonly size: number;
  /** Only these people, by a column; it may give a few more who differ by case or blanks. */
  readonly named: { readonly column: string; readonly identifications: readonly string[] } | undefined;
}

export interface SessionOptions {
  /** One statement that reads, without `;` at its end. */
  readonly query: string;
  /** Folder that files of certificates and of SQLite are meant from. */
  readonly folder: string;
  /** The database gives up a statement after this time, and we give up the database some seconds later. */
  readonly statementTimeoutMs: number;
  readonly clock: Clock;
  /** Breaks the connection off: whatever was waited for fails at once. */
  readonly signal: AbortSignal;
}

/** How long a connection may take to be made. */
export const connectTimeoutMs = 15_000;

/** How long a goodbye is waited for: something between us and the server may never hang up. */
export const closeTimeoutMs = 2_000;

/** How much longer than the database's own limit we wait for its answer. */
export const graceMs = 15_000;
