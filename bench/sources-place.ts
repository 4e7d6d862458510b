import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Sqlite from 'better-sqlite3';
import { Client } from 'pg';
import { findPostgresPrograms, startPostgresServer } from '../test/support/services/postgres-server.ts';
import { writeHrFile } from './hr-file.ts';
import { hrColumns, hrRows } from './people.ts';
import { csvPath, databasePath, type SourceCase } from './sources-cases.ts';
import { type PreparedPages, restPages, scimPages } from './sources-pages.ts';

export interface PlaceOrder {
  readonly case: SourceCase;
  readonly people: number;
  readonly folder: string;
}

/** The place is ready (`url` is empty where there is no server), or cannot be had here. */
export type PlaceNews =
  | { readonly kind: 'ready'; readonly url: string }
  | { readonly kind: 'missing'; readonly why: string };

interface Held {
  readonly news: PlaceNews;
  readonly close: () => Promise<void>;
}

const ready = (url = '', close = async (): Promise<void> => {}): Held => ({ news: { kind: 'ready', url }, close });

/**
 * Makes the place that a source reads, and keeps it until the parent lets go. A process of its own: what it takes must
 * not be counted. Run as a child process with a `PlaceOrder`; sends a `PlaceNews`.
 */
async function hold(order: PlaceOrder): Promise<void> {
  const { news, close } = await open(order);
  process.once('disconnect', () => void close());
  process.send?.(news);
}

async function open({ case: name, people, folder }: PlaceOrder): Promise<Held> {
  switch (name) {
    case 'csv':
      await writeHrFile(csvPath(folder), people, 'mixed');
      return ready();
    case 'sqlite':
      fillSqlite(databasePath(folder), people);
      return ready();
    case 'postgres':
      return openPostgres(folder, people);
    case 'rest':
      return servePages(restPages(people));
    case 'scim':
      return servePages(scimPages(people));
  }
}

const isDate = (column: string): boolean => column.endsWith('_date');
const columns = hrColumns.map((column) => `${column} ${isDate(column) ? 'date' : 'text'}`);
const createTable = `create table employees (${columns.join(', ')}, primary key (employee_id))`;

/** An absent date is null in a database. */
const cellsOf = (row: readonly string[]): (string | null)[] =>
  row.map((cell, index) => (cell === '' && isDate(hrColumns[index] ?? '') ? null : cell));

function fillSqlite(path: string, people: number): void {
  const database = new Sqlite(path);
  database.exec(createTable);
  const insert = database.prepare(`insert into employees values (${hrColumns.map(() => '?').join()})`);
  database.transaction(() => {
    for (const row of hrRows(people, 'mixed')) insert.run(cellsOf(row));
  })();
  database.close();
}

async function openPostgres(folder: string, people: number): Promise<Held> {
  const programs = await findPostgresPrograms();
  if (programs === undefined) {
    const why = 'PostgreSQL (the programs postgres and initdb) is not installed';
    return { news: { kind: 'missing', why }, close: async () => {} };
  }
  const server = await startPostgresServer(programs, folder);
  const url = `postgres://${server.user}:${encodeURIComponent(server.password)}@127.0.0.1:${server.port}/postgres`;
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(createTable);
  let rows: unknown[] = [];
  const flush = async (): Promise<void> => {
    await client.query('insert into employees select * from json_populate_recordset(null::employees, $1)', [
      JSON.stringify(rows),
    ]);
    rows = [];
  };
  for (const row of hrRows(people, 'mixed')) {
    rows.push(Object.fromEntries(cellsOf(row).map((cell, index) => [hrColumns[index], cell])));
    if (rows.length === 5_000) await flush();
  }
  await flush();
  await client.query('vacuum analyze employees');
  await client.end();
  return ready(url, () => server.stop('fast'));
}

/** Answers that were made beforehand: serving one costs next to nothing. */
async function servePages({ path, bodies, place }: PreparedPages): Promise<Held> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://localhost');
    const body = url.pathname === path ? bodies[place(url.searchParams)] : undefined;
    const bytes = body ?? Buffer.from('{}');
    response.writeHead(body === undefined ? 404 : 200, {
      'content-type': 'application/json',
      'content-length': bytes.length,
    });
    response.end(bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return ready(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, async () => {
    server.closeAllConnections();
    server.close();
  });
}

await hold(JSON.parse(process.argv[2] ?? '') as PlaceOrder);
