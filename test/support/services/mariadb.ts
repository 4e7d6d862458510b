import { randomBytes, randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { chown, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mysql from 'mysql2/promise';
import { once } from '../once.ts';
import { findProgram, freePort, installPackages, run, startProgram, tellSkipped, whenWorkerEnds } from './programs.ts';

type Rows = readonly Readonly<Record<string, unknown>>[];

/** A real MariaDB for the tests of one file. */
export interface MariaDbService {
  readonly port: number;
  /** The url of a new, empty database, for a user who may read it and nothing else. */
  newDatabase(): Promise<string>;
  /** One statement in the database of the url, as the owner of everything. */
  query(url: string, statement: string, values?: readonly unknown[]): Promise<Rows>;
}

/**
 * Call it at the top of a test file: gives the MariaDB of this worker, on a free port with its files in a folder of its
 * own, which ends with the worker's process. Undefined, told in one line, where there is none to be had.
 */
export const startMariaDb = once(async (): Promise<MariaDbService | undefined> => {
  const programs =
    (await findPrograms()) ?? ((await installPackages(['mariadb-server'])) ? await findPrograms() : undefined);
  if (programs === undefined) {
    tellSkipped(
      'MariaDB tests are skipped: the programs mariadbd and mariadb-install-db (Debian: mariadb-server) are missing.',
    );
    return undefined;
  }
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-mariadb-'));
  const [owner, reader] = [randomBytes(12).toString('hex'), `${randomBytes(9).toString('base64')}@:/%#? é`];
  const port = await startServer(programs, folder, owner, reader);
  const query: MariaDbService['query'] = async (url, statement, values = []) => {
    const database = new URL(url).pathname.slice(1);
    const login = { host: '127.0.0.1', port, user: 'owner', password: owner, charset: 'utf8mb4' };
    const connection = await mysql.createConnection({ ...login, ...(database === '' ? {} : { database }) });
    try {
      const [rows] = await connection.query<mysql.RowDataPacket[]>(statement, [...values]);
      return rows;
    } finally {
      await connection.end();
    }
  };
  return {
    port,
    query,
    newDatabase: async () => {
      const name = `hr_${randomUUID().replaceAll('-', '')}`;
      const server = `mysql://127.0.0.1:${port}`;
      await query(server, `create database ${name} character set utf8mb4`);
      await query(server, `grant select on ${name}.* to reader@'127.0.0.1'`);
      return `mysql://reader:${encodeURIComponent(reader)}@127.0.0.1:${port}/${name}`;
    },
  };
});

interface Programs {
  readonly server: string;
  readonly install: string;
}

async function findPrograms(): Promise<Programs | undefined> {
  const server = await findProgram('mariadbd');
  const install = await findProgram('mariadb-install-db');
  return server === undefined || install === undefined ? undefined : { server, install };
}

/** Begins with an empty data folder and two users; gives the port. */
async function startServer(
  { server, install }: Programs,
  folder: string,
  owner: string,
  reader: string,
): Promise<number> {
  const data = join(folder, 'data');
  const users = join(folder, 'users.sql');
  const text = (value: string): string => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  await writeFile(
    users,
    [
      `create user owner@'127.0.0.1' identified by ${text(owner)};`,
      `grant all on *.* to owner@'127.0.0.1' with grant option;`,
      `create user reader@'127.0.0.1' identified by ${text(reader)};`,
      '',
    ].join('\n'),
  );
  const asOther = await giveAway([folder, users]);
  const [first = '', ...before] = [...asOther, install];
  await run(first, [
    ...before,
    '--no-defaults',
    `--datadir=${data}`,
    '--skip-test-db',
    '--auth-root-authentication-method=normal',
  ]);
  const port = await freePort();
  const [program = '', ...more] = [...asOther, server];
  const running = await startProgram(
    program,
    [
      ...more,
      '--no-defaults',
      `--datadir=${data}`,
      `--socket=${join(folder, 'socket')}`,
      `--port=${port}`,
      '--bind-address=127.0.0.1',
      `--init-file=${users}`,
      '--character-set-server=utf8mb4',
      '--innodb-flush-log-at-trx-commit=0',
      '--innodb-buffer-pool-size=64M',
      '--skip-name-resolve',
    ],
    (printed) => printed.includes('ready for connections'),
  );
  whenWorkerEnds(() => {
    void running.stop('SIGKILL');
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });
  return port;
}

/** It is not run as root: gives the files to its own user, and the words that run a program as that one. */
async function giveAway(paths: readonly string[]): Promise<readonly string[]> {
  if (process.getuid?.() !== 0) return [];
  const ids = await Promise.all([run('id', ['-u', 'mysql']), run('id', ['-g', 'mysql'])]);
  const [uid = 0, gid = 0] = ids.map(Number);
  for (const path of paths) await chown(path, uid, gid);
  // It ends with this process, however that ends.
  return ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--pdeathsig', 'TERM', '--'];
}
