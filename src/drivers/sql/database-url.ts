import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { type ConnectionOptions, checkServerIdentity } from 'node:tls';
import { RollcallError } from '../../core/run/errors.ts';

export type SqlDialect = 'postgres' | 'mysql' | 'sqlite';

/** Address of a database: of the store, or of an HR system. */
export type SqlPlace = ServerPlace | FilePlace;

export interface ServerPlace {
  readonly dialect: 'postgres' | 'mysql';
  /** A name or address. With a leading slash it is the path of a Unix socket (its folder, for PostgreSQL). */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  /** Never log it or use it in an error. */
  readonly password: string | undefined;
  readonly database: string;
  readonly tls: TlsWanted;
  /** How the server lists our sessions. */
  readonly applicationName: string;
  /** Name in messages: `postgres://host:port/database`, without user and password. */
  readonly name: string;
}

export interface FilePlace {
  readonly dialect: 'sqlite';
  /** As configured: relative to the folder of the configuration. */
  readonly path: string;
  readonly name: string;
}

/** TLS settings, in libpq's terms. */
export interface TlsWanted {
  readonly mode: (typeof sslModes)[number];
  /** Paths of PEM files. */
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
}

/** The same with the files read; undefined without TLS. */
export type TlsReady = NonNullable<Awaited<ReturnType<typeof readTls>>>;

const sslModes = ['disable', 'require', 'verify-ca', 'verify-full'] as const;
const tlsParameters = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey'];
const schemes: Readonly<Record<string, { readonly dialect: 'postgres' | 'mysql'; readonly port: number }>> = {
  'postgres:': { dialect: 'postgres', port: 5432 },
  'postgresql:': { dialect: 'postgres', port: 5432 },
  'mysql:': { dialect: 'mysql', port: 3306 },
  'mariadb:': { dialect: 'mysql', port: 3306 },
};

/**
 * Parses the url of a database: `postgres://`, `mysql://` (MariaDB too) with libpq's `sslmode`, or `sqlite:PATH`.
 * Without `sslmode` a remote server must prove its identity (`verify-full`), because personal data must not travel
 * unencrypted by default. A problem continues the sentence that begins with the key, without user and password.
 */
export function parseDatabaseUrl(text: string): SqlPlace | { readonly problem: string } {
  if (/^sqlite:/i.test(text)) return filePlace(text);
  const url = URL.parse(text);
  if (url === null) {
    return { problem: 'is not a url. A password with @ : / ? # or % in it must be percent-encoded' };
  }
  const scheme = schemes[url.protocol];
  if (scheme === undefined) return { problem: 'must begin with postgres://, mysql:// or sqlite:' };
  const parameters = scheme.dialect === 'postgres' ? [...tlsParameters, 'application_name'] : tlsParameters;
  const unknown = [...url.searchParams.keys()].filter((name) => !parameters.includes(name));
  if (unknown.length > 0) {
    return { problem: `has the parameter ${unknown.join(', ')}; known are ${parameters.join(', ')}` };
  }
  try {
    return serverPlace(url, scheme);
  } catch {
    return { problem: 'has a % without two hexadecimal digits. Write it as %25' };
  }
}

/**
 * Reads the certificate files that the url names. Throws `CONFIG_INVALID` for a file that cannot be read. `key` is the
 * configuration's key of the url, for messages.
 */
export async function readTls(
  { mode, ...paths }: TlsWanted,
  { folder, key }: { readonly folder: string; readonly key: string },
) {
  if (mode === 'disable') return undefined;
  const files: { ca?: string; cert?: string; key?: string } = {};
  for (const name of ['ca', 'cert', 'key'] as const) {
    const path = paths[name];
    if (path !== undefined) files[name] = await readPem(path, folder, key);
  }
  const isProven = mode !== 'require' || files.ca !== undefined;
  return { rejectUnauthorized: isProven, isIdentityProven: mode === 'verify-full', files };
}

export function postgresTls(tls: TlsReady | undefined, host: string): false | ConnectionOptions {
  if (tls === undefined) return false;
  return {
    rejectUnauthorized: tls.rejectUnauthorized,
    ...tls.files,
    // Only `verify-full` checks the host name. It is checked here, because the driver skips IP addresses.
    checkServerIdentity: (_, peer) => (tls.isIdentityProven ? checkServerIdentity(host, peer) : undefined),
  };
}

function filePlace(text: string): FilePlace | { readonly problem: string } {
  const path = text.slice('sqlite:'.length).replace(/^\/\//, '');
  if (path === '' || path.includes('?')) return { problem: 'must be sqlite: and the path of the file, nothing else' };
  return { dialect: 'sqlite', path, name: `sqlite:${path}` };
}

function serverPlace(
  url: URL,
  scheme: { readonly dialect: 'postgres' | 'mysql'; readonly port: number },
): ServerPlace | { readonly problem: string } {
  const query = url.searchParams;
  const host = decodeURIComponent(url.hostname).replace(/^\[(.*)\]$/, '$1');
  const database = decodeURIComponent(url.pathname.slice(1));
  const user = decodeURIComponent(url.username);
  if (host === '' || database === '' || user === '') return { problem: 'lacks a user, a host or a database' };
  const named = query.get('sslmode') ?? (isOnThisMachine(host) ? 'disable' : 'verify-full');
  const mode = sslModes.find((known) => known === named);
  if (mode === undefined) return { problem: `has sslmode=${named}; it can be ${sslModes.join(', ')}` };
  if (mode === 'verify-full' && scheme.dialect === 'mysql' && isIP(host) !== 0) {
    const because = query.has('sslmode') ? '' : ' (verify-full unless the url has another sslmode)';
    return { problem: `has sslmode=verify-full with an IP address: use the host name in the certificate${because}` };
  }
  const port = url.port === '' ? scheme.port : Number(url.port);
  return {
    dialect: scheme.dialect,
    host,
    port,
    user,
    password: url.password === '' ? undefined : decodeURIComponent(url.password),
    database,
    tls: {
      mode,
      ca: query.get('sslrootcert') ?? undefined,
      cert: query.get('sslcert') ?? undefined,
      key: query.get('sslkey') ?? undefined,
    },
    applicationName: query.get('application_name') ?? 'rollcall',
    name: `${scheme.dialect}://${host}:${port}/${database}`,
  };
}

function isOnThisMachine(host: string): boolean {
  return host.startsWith('/') || /^(?:localhost|::1|127(?:\.\d{1,3}){3})$/i.test(host);
}

async function readPem(path: string, folder: string, key: string): Promise<string> {
  try {
    return await readFile(resolve(folder, path), 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    const message = `${key} names the file ${path}, which cannot be read (${code}): check the path and its rights.`;
    throw new RollcallError(message, { code: 'CONFIG_INVALID' });
  }
}
