import { resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { FilePlace } from './database-url.ts';
import type { SessionOptions, SqlPage, SqlRow, SqlSession } from './sql-session.ts';
import { spellings, sqlWords } from './sql-words.ts';

/** A request to the thread. One is in progress at a time. */
export type SqliteRequest =
  | { readonly kind: 'open'; readonly path: string }
  | { readonly kind: 'columns'; readonly sql: string }
  | {
      readonly kind: 'begin';
      readonly sql: string;
      readonly columns: readonly SqliteColumn[];
      readonly parameters: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'page'; readonly size: number };

export type SqliteAnswer =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly code: string; readonly message: string };

export interface SqliteColumn {
  readonly name: string;
  /** The declared type; null for an expression. */
  readonly type: string | null;
}

/** SQLite's own error, `TIMEOUT`, or `EXIT` when the thread ended without an order. */
export class SqliteFailure extends Error {
  override readonly name = 'SqliteFailure';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Opens the file read-only in a thread, because SQLite calls block and would stop the event loop. A statement that
 * takes too long is abandoned with its thread.
 */
export async function openSqlite(place: FilePlace, options: SessionOptions): Promise<SqlSession> {
  const words = sqlWords('sqlite', options.query);
  const thread = openThread(options);
  const columns = async (): Promise<readonly SqliteColumn[]> =>
    // Prepared from the query alone and never run: inside another query, duplicate column names would be renamed.
    (await thread.ask({ kind: 'columns', sql: options.query })) as readonly SqliteColumn[];
  async function* read(
    sql: string,
    size: number,
    asked: readonly SqliteColumn[],
    parameters: Readonly<Record<string, string>> = {},
  ): AsyncGenerator<SqlPage> {
    await thread.ask({ kind: 'begin', sql, columns: asked, parameters });
    for (;;) {
      // One text is transferred, because rows would be copied value by value, and the stamp of the read needs the
      // text anyway.
      const json = (await thread.ask({ kind: 'page', size })) as string;
      const rows = JSON.parse(json) as SqlRow[];
      if (rows.length > 0) yield { rows, json };
      if (rows.length < size) return;
    }
  }

  try {
    await thread.ask({ kind: 'open', path: resolve(options.folder, place.path) });
  } catch (error) {
    await thread.close();
    throw error;
  }
  return {
    close: () => thread.close(),
    columns: async () => (await columns()).map(({ name }) => name),
    async count(key) {
      const names = ['rows', 'keyed', 'keys'].map((name) => ({ name, type: null }));
      for await (const { rows } of read(words.count(key), 2, names)) {
        const [counts = {}] = rows;
        return { rows: Number(counts.rows), keyed: Number(counts.keyed), keys: Number(counts.keys) };
      }
      return { rows: 0, keyed: 0, keys: 0 };
    },
    async *pages({ key, size, named }) {
      const people = { column: named?.column ?? '', isAmong: 'in (select value from json_each(@asked))' };
      const sql = words.rows(key, named === undefined ? undefined : people);
      const parameters = named === undefined ? {} : { asked: JSON.stringify(spellings(named.identifications)) };
      yield* read(sql, size, await columns(), parameters);
    },
  };
}

function openThread({ clock, signal, statementTimeoutMs }: SessionOptions) {
  // In the same folder and language as this file.
  const worker = new Worker(new URL(import.meta.url.replace(/sqlite(\.[jt]s)$/, 'sqlite-thread$1')));
  let unanswered = 0;
  let hasEnded = false;
  let waiting: { resolve(value: unknown): void; reject(error: Error): void } | undefined;
  const fail = (code: string, message: string): void => waiting?.reject(new SqliteFailure(code, message));
  worker.on('message', (answer: SqliteAnswer) => {
    unanswered -= 1;
    if (answer.ok) waiting?.resolve(answer.value);
    else fail(answer.code, answer.message);
  });
  worker.on('error', () => fail('EXIT', 'the thread that reads it failed'));
  worker.on('exit', () => {
    hasEnded = true;
    fail('EXIT', 'the thread that reads it ended');
  });
  // The reader waits for an answer; the thread alone does not keep the process alive.
  worker.unref();
  const stop = (): void => void worker.terminate();
  signal.addEventListener('abort', stop, { once: true });
  return {
    async ask(ask: SqliteRequest) {
      const answered = new AbortController();
      const tooLate = clock.sleep(statementTimeoutMs, answered.signal).then(
        () => fail('TIMEOUT', `no answer within ${statementTimeoutMs / 1000} s`),
        () => {},
      );
      try {
        return await new Promise((resolve, reject) => {
          waiting = { resolve, reject };
          if (hasEnded) fail('EXIT', 'the thread that reads it has ended');
          unanswered += 1;
          worker.postMessage(ask);
        });
      } finally {
        answered.abort();
        await tooLate;
        waiting = undefined;
      }
    },
    async close() {
      signal.removeEventListener('abort', stop);
      const ended = worker.terminate();
      // A statement in progress cannot be stopped from outside, so its thread is ended.
      if (unanswered === 0) await ended;
    },
  };
}
