import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll } from 'vitest';
import { migrateStore } from '../../../src/store/index.ts';
import { findPostgresPrograms, type OwnServer, startPostgresServer } from './postgres-server.ts';
import { tellSkipped } from './programs.ts';

type Rows = readonly Readonly<Record<string, unknown>>[];

/** A real PostgreSQL for the tests of one file. */
export interface PostgresService {
  /** The url of a new, empty database; it is dropped with the service. */
  newDatabase(): Promise<string>;
  /** The url of a new database with the tables of a store, copied from one that was migrated once. */
  newStore(): Promise<string>;
  /** One statement, as the owner of everything. */
  query(url: string, statement: string): Promise<Rows>;
  /** Present when the server is this file's own. */
  readonly own: OwnServer | undefined;
}

const databaseUrl = 'DATABASE_URL';

/**
 * Call it at the top of a test file: gives the server that DATABASE_URL names, or starts one on a free port in a folder of
 * its own, which is stopped and deleted after the file. Undefined, told in one line, where there is none to be had.
 */
export async function startPostgres(): Promise<PostgresService | undefined> {
  const given = process.env[databaseUrl];
  if (given !== undefined && given !== '') return serviceAt(given, undefined);
  const binaries = await findPostgresPrograms();
  if (binaries === undefined) {
    tellSkipped(
      `PostgreSQL tests are skipped: neither ${databaseUrl} nor the programs postgres and initdb (Debian: postgresql) are there.`,
    );
    return undefined;
  }
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-postgres-'));
  afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  const own = await startPostgresServer(binaries, folder);
  afterAll(() => own.stop('fast'));
  const password = encodeURIComponent(own.password);
  return serviceAt(`postgres://${own.user}:${password}@127.0.0.1:${own.port}/postgres`, own);
}

function serviceAt(url: string, own: OwnServer | undefined): PostgresService {
  const made: string[] = [];
  if (own === undefined) {
    afterAll(async () => {
      for (const name of made) await query(url, `drop database if exists ${name} with (force)`);
    });
  }
  const create = async (template = ''): Promise<URL> => {
    const name = `rollcall_test_${randomUUID().replaceAll('-', '')}`;
    await query(url, `create database ${name}${template}`);
    made.push(name);
    const place = new URL(url);
    place.pathname = `/${name}`;
    return place;
  };
  const migrated = async (): Promise<string> => {
    const place = await create();
    await migrateStore(place.href, { folder: '.' });
    return ` template ${place.pathname.slice(1)}`;
  };
  let template: Promise<string> | undefined;
  return {
    own,
    query,
    newDatabase: async () => (await create()).href,
    newStore: async () => {
      template ??= migrated();
      return (await create(await template)).href;
    },
  };
}

async function query(url: string, statement: string): Promise<Rows> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}
