import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, onTestFinished } from 'vitest';
import { migrateStore } from '../../../src/store/index.ts';
import { once } from '../once.ts';
import { findPostgresPrograms, type OwnServer, startPostgresServer } from './postgres-server.ts';
import { findProgram, freePort, installPackages, startProgram, tellSkipped, whenWorkerEnds } from './programs.ts';

type Rows = readonly Readonly<Record<string, unknown>>[];

/** A real PostgreSQL for the tests of one file. */
export interface PostgresService {
  /** The url of a new, empty database; it is dropped after the file. */
  newDatabase(): Promise<string>;
  /** The url of a new database with the tables of a store, copied from one that was migrated once. */
  newStore(): Promise<string>;
  /** One statement, as the owner of everything. */
  query(url: string, statement: string): Promise<Rows>;
  /** Present when the server is this file's own. */
  readonly own: OwnServer | undefined;
  /** The certificate of the server, where it is known. */
  readonly certificate: string | undefined;
}

/** The server of this worker, which ends with its process. Starting one takes longer than most files. */
const openShared = once(async (binaries: string): Promise<OwnServer> => {
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-postgres-'));
  const server = await startPostgresServer(binaries, folder);
  whenWorkerEnds(() => {
    void server.stop('crash');
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });
  return server;
});

const databaseUrl = 'DATABASE_URL';

/**
 * Call it at the top of a test file: gives the server that DATABASE_URL names, or that of this worker. `own`: one of this
 * file alone, which it may stop. Undefined, told in one line, where there is none to be had.
 */
export async function startPostgres(use: 'shared' | 'own' = 'shared'): Promise<PostgresService | undefined> {
  const given = process.env[databaseUrl];
  if (given !== undefined && given !== '') return serviceAt(given, undefined);
  const binaries = await findPostgresPrograms();
  if (binaries === undefined) {
    tellSkipped(
      `PostgreSQL tests are skipped: neither ${databaseUrl} nor the programs postgres and initdb (Debian: postgresql) are there.`,
    );
    return undefined;
  }
  if (use === 'shared') return serviceOf(await openShared(binaries), undefined);
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-postgres-'));
  afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  const own = await startPostgresServer(binaries, folder);
  afterAll(() => own.stop('fast'));
  return serviceOf(own, own);
}

function serviceOf({ user, password, port, certificate }: OwnServer, own: OwnServer | undefined): PostgresService {
  return serviceAt(`postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/postgres`, own, certificate);
}

function serviceAt(url: string, own: OwnServer | undefined, certificate?: string): PostgresService {
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
    certificate,
    query,
    newDatabase: async () => (await create()).href,
    newStore: async () => {
      template ??= migrated();
      return (await create(await template)).href;
    },
  };
}

/**
 * Starts PgBouncer in front of the database of the url, with its defaults except the pooling, and returns the url of that.
 * It is stopped after the test. Call it where `findPgBouncer` gave a program.
 */
export async function poolerBefore(program: string, url: string, pooling: 'session' | 'transaction'): Promise<string> {
  const { hostname, port, pathname, username, password } = new URL(url);
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-pgbouncer-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const own = await freePort();
  const users = join(folder, 'users.txt');
  await writeFile(users, `"${username}" "${decodeURIComponent(password)}"\n`);
  const file = join(folder, 'pgbouncer.ini');
  // PgBouncer refuses to run as root.
  const user = process.getuid?.() === 0 ? 'user = nobody\n' : '';
  await writeFile(
    file,
    `[databases]\n* = host=${hostname} port=${port}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${own}\n${user}` +
      `unix_socket_dir =\nauth_type = scram-sha-256\nauth_file = ${users}\npool_mode = ${pooling}\n`,
  );
  for (const path of [folder, users, file]) await chmod(path, 0o755);
  const running = await startProgram(program, [file], (printed) => printed.includes('process up'));
  onTestFinished(() => running.stop('SIGKILL'));
  return `postgres://${username}:${password}@127.0.0.1:${own}${pathname}`;
}

/** The program pgbouncer, installed now where that is possible. */
export async function findPgBouncer(): Promise<string | undefined> {
  const find = () => findProgram('pgbouncer');
  const program = (await find()) ?? ((await installPackages(['pgbouncer'])) ? await find() : undefined);
  if (program === undefined) tellSkipped('Tests with PgBouncer are skipped: there is no program pgbouncer.');
  return program;
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
