import { statSync } from 'node:fs';
import { type MessagePort, parentPort } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';
import { type ReadValue, readBinary, readDate } from './sql-values.ts';
import type { SqliteAnswer, SqliteColumn, SqliteRequest } from './sqlite.ts';

/** How long SQLite waits for another process that writes. */
const busyTimeoutMs = 10_000;

/** One file, open read-only, in one transaction from the first request on. */
function serve(port: MessagePort): void {
  let database: Sqlite.Database | undefined;
  let rows: IterableIterator<unknown> | undefined;
  let make: MakeRow = () => ({});

  const answer = (ask: SqliteRequest): unknown => {
    if (ask.kind === 'open') {
      // Opening a pipe would wait for a writer that may never come.
      if (isPipeOrDevice(ask.path)) throw Object.assign(new Error('not a file'), { code: 'SQLITE_NOTADB' });
      database = new Sqlite(ask.path, { readonly: true, fileMustExist: true, timeout: busyTimeoutMs });
      database.exec('begin');
      return undefined;
    }
    if (ask.kind === 'page') return takeRows(rows, ask.size, make);
    const statement = database?.prepare<unknown[], unknown>(ask.sql);
    if (statement === undefined) throw new Error('the file was not opened');
    if (ask.kind === 'columns') return statement.columns().map(({ name, type }) => ({ name, type }));
    make = rowMaker(ask.columns);
    rows = statement.raw(true).safeIntegers(true).iterate(ask.parameters);
    return undefined;
  };

  port.on('message', (ask: SqliteRequest) => {
    port.postMessage(attempt(() => answer(ask)));
  });
}

function attempt(work: () => unknown): SqliteAnswer {
  try {
    return { ok: true, value: work() };
  } catch (error) {
    const { code, message } = error as { readonly code?: string; readonly message: string };
    return { ok: false, code: code ?? 'unknown error', message };
  }
}

function isPipeOrDevice(path: string): boolean {
  try {
    return !statSync(path).isFile();
  } catch {
    // SQLite reports what is wrong with the path.
    return false;
  }
}

/** Returns the next rows as a JSON array of objects. */
function takeRows(rows: IterableIterator<unknown> | undefined, size: number, make: MakeRow): string {
  const page: unknown[] = [];
  while (page.length < size) {
    const next = rows?.next();
    if (next === undefined || next.done === true) break;
    page.push(make(next.value as unknown[]));
  }
  return JSON.stringify(page);
}

type MakeRow = (values: readonly unknown[]) => Readonly<Record<string, unknown>>;

function rowMaker(columns: readonly SqliteColumn[]): MakeRow {
  const readers: ReadValue[] = columns.map(({ type }) => (/date|time/i.test(type ?? '') ? readAnyDate : readAny));
  return (values) => {
    const row: Record<string, unknown> = {};
    // An index loop, because this runs for every value of the table.
    for (let i = 0; i < columns.length; i++) row[columns[i]?.name ?? ''] = readers[i]?.(values[i]);
    return row;
  };
}

/** Reads any value, because an SQLite column may hold values of every type. */
const readAny: ReadValue = (value) => {
  if (typeof value === 'bigint') return plainInteger(value);
  // JSON has no infinity (9e999 is one).
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  return value instanceof Uint8Array ? readBinary(value) : value;
};
const readAnyDate: ReadValue = (value) => (typeof value === 'string' ? readDate(value) : readAny(value));

function plainInteger(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

/** Entry point of the thread. It answers requests until it is terminated. */
export const served = parentPort === null ? undefined : serve(parentPort);
