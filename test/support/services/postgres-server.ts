import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findProgram, freePort, installPackages, type RunningProgram, run, startProgram } from './programs.ts';

/** A PostgreSQL server that is the caller's alone. */
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

/** The folder of PostgreSQL's programs, installed now where that is possible (Debian, root). Undefined when they are not to be had. */
export async function findPostgresPrograms(): Promise<string | undefined> {
  const find = async (): Promise<string | undefined> => {
    const initdb = await findProgram('initdb', ['/usr/lib/postgresql']);
    return initdb && dirname(initdb);
  };
  return (await find()) ?? ((await installPackages(['postgresql'])) ? find() : undefined);
}

/** Clusters that initdb has made. Making one takes a second, copying it a tenth of that. */
const clusters = join(import.meta.dirname, '../../../node_modules/.cache/postgres');

/** Of every cluster, since they are copies. With characters that a url cannot hold as they are. */
const password = 'of-a-test-only@:/%#? é';

async function keepCluster(data: string, made: string): Promise<void> {
  const copy = `${made}-${process.pid}`;
  await mkdir(clusters, { recursive: true });
  await run('cp', ['-a', data, copy]);
  // Another worker may have been first.
  await rename(copy, made).catch(() => rm(copy, { recursive: true }));
}

/** Starts one on a free port with its files in the folder. Must be stopped; the folder is left to the caller. */
export async function startPostgresServer(binaries: string, folder: string): Promise<OwnServer> {
  const data = join(folder, 'data');
  const user = 'rollcall';
  await writeFile(join(folder, 'password'), password);
  const asOther = await giveAway(folder, [join(folder, 'password')]);
  const settings = ['-U', user, '-E', 'UTF8', '--no-sync', '-A', 'scram-sha-256'];
  const version = /\d+\S*/.exec(await run(join(binaries, 'postgres'), ['--version']))?.[0] ?? '0';
  // A locale that sorts unlike code points, so that nothing depends on the server's.
  const icu = Number.parseInt(version, 10) >= 15 ? ['--locale-provider=icu', '--icu-locale=en-US'] : [];
  const made = join(clusters, `${version}-${asOther.length > 0 ? 'given' : 'own'}`);
  if (existsSync(made)) await run('cp', ['-a', made, data]);
  else {
    const [program = '', ...before] = [...asOther, join(binaries, 'initdb')];
    const place = ['-D', data, `--pwfile=${join(folder, 'password')}`, '--locale=C.UTF-8'];
    await run(program, [...before, ...settings, ...icu, ...place]);
    await keepCluster(data, made);
  }
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
  return { port, user, password, certificate, start, stop };
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
