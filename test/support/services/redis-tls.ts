import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram, freePort, run } from './programs.ts';
import { type RedisServer, startRedis } from './redis.ts';

/** A Redis that is reached over TLS; its plain port on the loopback is for the test's own looks alone. */
export interface SecureRedis {
  readonly server: RedisServer;
  readonly tlsPort: number;
  /** The authority that signed its certificate, which names 127.0.0.1 alone. In PEM. */
  readonly ca: string;
  /** Lines of redis.conf with which another Redis proves itself with the same certificate. */
  readonly tlsConfig: readonly string[];
  /** An authority that it has nothing to do with. */
  readonly otherCa: string;
  close(): Promise<void>;
}

/** Starts a Redis with a certificate of an authority of its own, and these ACL users. */
export async function startSecureRedis(program: string, users: readonly string[]): Promise<SecureRedis> {
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-redis-tls-'));
  const [ca, otherCa] = [await makeAuthority(folder, 'ca'), await makeAuthority(folder, 'other')];
  const path = (name: string): string => join(folder, name);
  const signed = ['-CA', path('ca.crt'), '-CAkey', path('ca.key'), '-addext', 'subjectAltName=IP:127.0.0.1'];
  await openssl(['-subj', '/CN=redis', ...signed, '-keyout', path('server.key'), '-out', path('server.crt')]);
  await writeFile(path('users.acl'), ['user default on nopass ~* &* +@all', ...users, ''].join('\n'));
  const tlsPort = await freePort();
  const tlsConfig = [
    `tls-cert-file ${path('server.crt')}`,
    `tls-key-file ${path('server.key')}`,
    `tls-ca-cert-file ${path('ca.crt')}`,
    'tls-auth-clients no',
  ];
  const server = await startRedis(program, {
    config: [`tls-port ${tlsPort}`, ...tlsConfig, `aclfile ${path('users.acl')}`],
  });
  return {
    server,
    tlsPort,
    tlsConfig,
    ca,
    otherCa,
    close: async () => {
      await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function makeAuthority(folder: string, name: string): Promise<string> {
  const certificate = join(folder, `${name}.crt`);
  await openssl(['-subj', `/CN=${name}`, '-keyout', join(folder, `${name}.key`), '-out', certificate]);
  return readFile(certificate, 'utf8');
}

async function openssl(args: readonly string[]): Promise<void> {
  const kind = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  await run('openssl', [...kind, ...args]);
}

/** What is missing for `startSecureRedis`, in words; undefined when nothing is. */
export async function missingForTls(program: string): Promise<string | undefined> {
  if ((await findProgram('openssl')) === undefined) return 'openssl in PATH';
  // Without TLS the directive is unknown; with it, this value is refused. It never starts.
  const said = await run(program, ['--port', '0', '--tls-port', 'none']).catch((error: Error) => String(error));
  return said.includes('Bad directive') ? 'a redis-server that was built with TLS' : undefined;
}
