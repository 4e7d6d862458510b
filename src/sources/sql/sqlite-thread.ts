import { type MessagePort, parentPort } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';
import type { SqliteAnswer, SqliteAsk } from './sqlite.ts';

/** How long SQLite waits for somebody who writes. */
const busyTimeoutMs = 10_000;

/** One file, open for reading alone, in one transaction from the first question on. */
function serve(port: MessagePort): void {
  let database: Sqlite.Database | undefined;
  let rows: IterableIterator<unknown> | undefined;

  const answer = (ask: SqliteAsk): unknown => {
    if (ask.kind === 'open') {
      database = new Sqlite(ask.path, { readonly: true, fileMustExist: true, timeout: busyTimeoutMs });
      database.exec('begin');
      return undefined;
    }
    if (ask.kind === 'page') return takeRows(rows, ask.size);
    const statement = database?.prepare<unknown[], unknown>(ask.sql);
    if (statement === undefined) throw new Error('the file was not opened');
    if (ask.kind === 'columns') return statement.columns().map(({ name, type }) => ({ name, type }));
    rows = statement.raw(true).safeIntegers(true).iterate(ask.parameters);
    return undefined;
  };

  port.on('message', (ask: SqliteAsk) => {
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

function takeRows(rows: IterableIterator<unknown> | undefined, size: number): unknown[][] {
  const page: unknown[][] = [];
  while (page.length < size) {
    const next = rows?.next();
    if (next === undefined || next.done === true) break;
    page.push((next.value as unknown[]).map(plainValue));
  }
  return page;
}

function plainValue(value: unknown): unknown {
  if (typeof value !== 'bigint') return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

/** This file is the start of a thread, which lives by what it is asked. */
export const served = parentPort === null ? undefined : serve(parentPort);
