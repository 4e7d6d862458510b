import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import Sqlite from 'better-sqlite3';
import { parse } from 'csv-parse';
import { Client } from 'pg';
import { Agent, request } from 'undici';
import {
  csvPath,
  databasePath,
  restPage,
  type SourceCase,
  type SourcePlace,
  scimPage,
  selectEverybody,
} from './sources-cases.ts';

/** Reads and decodes everybody by the plain library alone, drops them, and says how many there were. */
export function readFloor(name: SourceCase, { folder, url }: SourcePlace): Promise<number> {
  switch (name) {
    case 'csv':
      return readCsvFile(csvPath(folder));
    case 'sqlite':
      return readSqliteFile(databasePath(folder));
    case 'postgres':
      return readPostgres(url);
    case 'rest':
      return readRestPages(url);
    case 'scim':
      return readScimPages(url);
  }
}

async function readCsvFile(path: string): Promise<number> {
  let rows = 0;
  const drop = (): undefined => {
    rows += 1;
    return undefined;
  };
  // Taken at the parser's own door: a passage through its stream costs more than the rest.
  await pipeline(createReadStream(path), parse({ columns: true, bom: true, on_record: drop }).resume());
  return rows;
}

async function readSqliteFile(path: string): Promise<number> {
  const database = new Sqlite(path, { readonly: true });
  let rows = 0;
  for (const _ of database.prepare(`${selectEverybody} order by employee_id`).iterate()) rows += 1;
  database.close();
  return rows;
}

async function readPostgres(url: string): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query('begin read only');
  await client.query(`declare everybody no scroll cursor for ${selectEverybody} order by employee_id`);
  let rows = 0;
  for (;;) {
    const { rowCount } = await client.query('fetch forward 1000 from everybody');
    rows += rowCount ?? 0;
    if ((rowCount ?? 0) < 1000) break;
  }
  await client.end();
  return rows;
}

interface RestAnswer {
  readonly data: readonly unknown[];
  readonly meta: { readonly next: string | null };
}

async function readRestPages(url: string): Promise<number> {
  return withAgent(async (get) => {
    let rows = 0;
    let cursor: string | null = '';
    while (cursor !== null) {
      const at: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const { data, meta } = (await get(`${url}/people?limit=${restPage}${at}`)) as RestAnswer;
      rows += data.length;
      cursor = meta.next;
    }
    return rows;
  });
}

async function readScimPages(url: string): Promise<number> {
  return withAgent(async (get) => {
    for (let rows = 0; ; ) {
      const page = await get(`${url}/Users?startIndex=${rows + 1}&count=${scimPage}`);
      const { Resources: users } = page as { readonly Resources: readonly unknown[] };
      if (users.length === 0) return rows;
      rows += users.length;
    }
  });
}

async function withAgent(read: (get: (url: string) => Promise<unknown>) => Promise<number>): Promise<number> {
  const dispatcher = new Agent({ connections: 1 });
  try {
    return await read(async (url) => (await request(url, { dispatcher })).body.json());
  } finally {
    await dispatcher.close();
  }
}
