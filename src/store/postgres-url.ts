import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type ConnectionOptions, checkServerIdentity } from 'node:tls';
import { RollcallError } from '../core/run/errors.ts';

/** The location of a PostgreSQL store. */
export interface PostgresPlace {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  /** Never log it or put it in an error. */
  readonly password: string | undefined;
  readonly database: string;
  readonly ssl: false | ConnectionOptions;
  readonly applicationName: string;
  /** The location in messages: `postgres://host:port/database`, without user and password. */
  readonly name: string;
}

const example = 'postgres://user:password@host:5432/database?sslmode=verify-full';
const sslModes = ['disable', 'require', 'verify-ca', 'verify-full'] as const;
const parameters = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'application_name'];

export function isPostgresUrl(url: string): boolean {
  return /^postgres(ql)?:/i.test(url);
}

/**
 * Reads the url of a PostgreSQL store. `sslmode` has the values of libpq: `disable` (default), `require` (encrypted; the
 * server is not verified unless `sslrootcert` is given), `verify-ca`, `verify-full`. Certificate paths are relative to
 * `folder`. Throws `CONFIG_INVALID` without user and password in the message.
 */
export function readPostgresUrl(text: string, folder: string): PostgresPlace {
  const url = URL.parse(text);
  if (url === null || !isPostgresUrl(url.protocol)) {
    throw invalid('is not a valid url. A password with @ : / ? # or % in it must be percent-encoded');
  }
  const query = url.searchParams;
  const unknown = [...query.keys()].filter((key) => !parameters.includes(key));
  if (unknown.length > 0) {
    throw invalid(`has the unknown parameter ${unknown.join(', ')}; allowed are ${parameters.join(', ')}`);
  }
  // A host that begins with a slash is the folder of a Unix socket: `%2Frun%2Fpostgresql`, as in libpq.
  const host = decode(url.hostname).replace(/^\[(.*)\]$/, '$1');
  const database = decode(url.pathname.slice(1));
  const user = decode(url.username);
  if (host === '' || database === '' || user === '') throw invalid('lacks a user, a host or a database');
  const port = url.port === '' ? 5432 : Number(url.port);
  return {
    host,
    port,
    user,
    password: url.password === '' ? undefined : decode(url.password),
    database,
    ssl: readTls(query, host, folder),
    applicationName: query.get('application_name') ?? 'rollcall',
    name: `postgres://${host}:${port}/${database}`,
  };
}

function readTls(query: URLSearchParams, host: string, folder: string): false | ConnectionOptions {
  const named = query.get('sslmode') ?? 'disable';
  const mode = sslModes.find((known) => known === named);
  if (mode === undefined) throw invalid(`has sslmode=${named}; it can be ${sslModes.join(', ')}`);
  if (mode === 'disable') return false;
  const ca = readPem(query, 'sslrootcert', folder);
  const cert = readPem(query, 'sslcert', folder);
  const key = readPem(query, 'sslkey', folder);
  return {
    rejectUnauthorized: mode !== 'require' || ca !== undefined,
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    // Only `verify-full` checks the host name. It is checked here, because the driver skips IP addresses.
    checkServerIdentity: (_, peer) => (mode === 'verify-full' ? checkServerIdentity(host, peer) : undefined),
  };
}

function readPem(query: URLSearchParams, name: string, folder: string): string | undefined {
  const path = query.get(name);
  if (path === null) return undefined;
  try {
    return readFileSync(resolve(folder, path), 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw invalid(`names the file ${path} as ${name}, which cannot be read (${code})`);
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid('has a % that does not begin a %XX escape. Write it as %25');
  }
}

/** Returns an error without a cause, because the cause would contain the whole url. */
function invalid(what: string): RollcallError {
  return new RollcallError(`the url under "store" ${what}. It looks like ${example}.`, { code: 'CONFIG_INVALID' });
}
