import { randomBytes, randomUUID } from 'node:crypto';
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { afterAll } from 'vitest';
import {
  findProgram,
  freePort,
  installPackages,
  type RunningProgram,
  run,
  startProgram,
  tellSkipped,
} from './programs.ts';

type Rows = readonly Readonly<Record<string, unknown>>[];

/** A real PostgreSQL for the tests of one file. */
export interface PostgresService {
  /** The url of a new, empty database; it is dropped with the service. */
  newDatabase(): Promise<string>;
  /** One statement, as the owner of everything. */
  query(url: string, statement: string): Promise<Rows>;
  /** Present when the server is this file's own. */
  readonly own: OwnServer | undefined;
}

export interface OwnServer {
  readonly port: number;
  readonly user: string;
  /** With characters that a url cannot hold as they are. */
  readonly password: string;
  /** The certificate that the server proves itself with, for `localhost`; undefined where openssl is missing. */
  readonly certificate: string | undefined;
  /** `fast`: every client is thrown out; `crash`: as if the machine had lost its power. */
  stop(how: 'fast' | 'crash'): Promise<void>;
  /** As a standby it takes no writes until it is promoted. */
  start(as?: 'primary' | 'standby'): Promise<void>;
}

const databaseUrl = 'DATABASE_URL';

/**
 * Call it at the top of a test file: gives the server that DATABASE_URL names, or starts one on a free port in a folder of
 * its own, which is stopped and deleted after the file. Undefined, told in one line, where there is none to be had.
 */
export async function startPostgres(): Promise<PostgresService | undefined> {
  const given = process.env[databaseUrl];
  if (given !== undefined && given !== '') return serviceAt(given, undefined);
  const binaries = await findBinaries();
  if (binaries === undefined) {
    tellSkipped(
      `PostgreSQL tests are skipped: neither ${databaseUrl} nor the programs postgres and initdb (Debian: postgresql) are there.`,
    );
    return undefined;
  }
  const { own, stop } = await startServer(binaries);
  afterAll(stop);
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
  return {
    own,
    query,
    newDatabase: async () => {
      const name = `rollcall_test_${randomUUID().replaceAll('-', '')}`;
      await query(url, `create database ${name}`);
      made.push(name);
      const place = new URL(url);
      place.pathname = `/${name}`;
      return place.href;
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

async function findBinaries(): Promise<string | undefined> {
  const find = async (): Promise<string | undefined> => {
    const initdb = await findProgram('initdb', ['/usr/lib/postgresql']);
    return initdb && dirname(initdb);
  };
  return (await find()) ?? ((await installPackages(['postgresql'])) ? find() : undefined);
}

async function startServer(binaries: string): Promise<{ own: OwnServer; stop: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-postgres-'));
  const data = join(folder, 'data');
  const user = 'rollcall';
  const password = `${randomBytes(9).toString('base64')}@:/%#? é`;
  await writeFile(join(folder, 'password'), password);
  const asOther = await giveAway(folder, [join(folder, 'password')]);
  const settings = ['-D', data, '-U', user, '-E', 'UTF8', '--no-sync', '-A', 'scram-sha-256'];
  const major = Number(/(\d+)/.exec(await run(join(binaries, 'postgres'), ['--version']))?.[1] ?? 0);
  // A locale that sorts unlike code points, so that nothing depends on the server's.
  const locale =
    major >= 15 ? ['--locale-provider=icu', '--icu-locale=en-US', '--locale=C.UTF-8'] : ['--locale=C.UTF-8'];
  const [program = '', ...before] = [...asOther, join(binaries, 'initdb')];
  await run(program, [...before, ...settings, ...locale, `--pwfile=${join(folder, 'password')}`]);
  const certificate = await makeCertificate(folder, asOther.length > 0);
  const port = await freePort();
  const options = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    // The machine stays up whatever the tests do to the server; nothing is worth a sync.
    fsync: 'off',
    full_page_writes: 'off',
    max_connections: '80',
    shared_buffers: '64MB',
    ...(certificate === undefined
      ? {}
      : { ssl: 'on', ssl_cert_file: certificate, ssl_key_file: join(folder, 'server.key') }),
  };
  const flags = Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  let running: RunningProgram | undefined;
  const start = async (as: 'primary' | 'standby' = 'primary'): Promise<void> => {
    if (as === 'standby') await writeFile(join(data, 'standby.signal'), '');
    const [first = '', ...more] = [...asOther, join(binaries, 'postgres')];
    const isReady = (printed: string): boolean =>
      /database system is ready to accept (read-only )?connections/.test(printed);
    running = await startProgram(first, [...more, '-D', data, ...flags], isReady);
  };
  const stop = async (how: 'fast' | 'crash'): Promise<void> => {
    await running?.stop(how === 'fast' ? 'SIGINT' : 'SIGQUIT');
    running = undefined;
  };
  await start();
  return {
    own: { port, user, password, certificate, start, stop },
    stop: async () => {
      await stop('fast');
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** PostgreSQL refuses to run as root: gives the folder to its own user, and the words that run a program as that one. */
async function giveAway(folder: string, files: readonly string[]): Promise<readonly string[]> {
  if (process.getuid?.() !== 0) return [];
  const [uid = 0, gid = 0] = (await Promise.all([run('id', ['-u', 'postgres']), run('id', ['-g', 'postgres'])])).map(
    Number,
  );
  for (const path of [folder, ...files]) await chown(path, uid, gid);
  // It ends with this process, however that ends.
  return ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--pdeathsig', 'INT', '--'];
}

async function makeCertificate(folder: string, isGivenAway: boolean): Promise<string | undefined> {
  const openssl = await findProgram('openssl');
  if (openssl === undefined) return undefined;
  const [key, certificate] = [join(folder, 'server.key'), join(folder, 'server.crt')];
  const what = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-days', '2', '-nodes'];
  const kind = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
  await run(openssl, [...kind, ...what, '-keyout', key, '-out', certificate]);
  await chmod(key, 0o600);
  if (isGivenAway) await giveAway(folder, [key, certificate]);
  return certificate;
}
