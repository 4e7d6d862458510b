import { Kysely } from 'kysely';
import { type ClientBase, Pool, types } from 'pg';
import { RollcallError } from '../core/errors.ts';
import type { Clock, Logger } from '../ports/runtime.ts';
import type { Database } from './database.ts';
import { postgresDialect } from './postgres-dialect.ts';
import { explainPostgresError } from './postgres-errors.ts';
import { type PostgresPlace, readPostgresUrl } from './postgres-url.ts';
import type { Schema } from './schema.ts';

/** Each process takes at most this many connections; ten replicas stay within a server's usual hundred. */
const maxConnections = 10;
const connectTimeoutMs = 10_000;
const idleTimeoutMs = 30_000;
/** Longer than any wait for a lock; every statement of the store takes far less. */
const statementTimeoutMs = 60_000;
/** Somebody who holds a row this long hangs: our own transactions end within a second or so. */
const lockTimeoutMs = 20_000;
/** A worker that stops dead in a transaction loses it, and with it the rows that others wait for. */
const idleInTransactionMs = 30_000;
/** For a network that swallows everything: the server's own limits never reach us then. */
const answerTimeoutMs = 75_000;

/** Clocks further apart are told in the log, and with more than the second nothing is begun: see `checkClock`. */
const toldSkewMs = 2_000;
const mostSkewMs = 10_000;

/** `bigint`: fences, counts and instants, all far below 2^53. */
const int8 = 20;

export interface PostgresWatch {
  /** Compared with the server's: without one, nothing is compared. */
  readonly clock?: Pick<Clock, 'now'>;
  readonly logger?: Pick<Logger, 'warn'>;
}

/**
 * Opens a pool on the PostgreSQL database that `url` names and looks at the server once. Throws `CONFIG_INVALID` for a
 * url that cannot be read; `STORE_INVALID` when it cannot be reached, is a standby, does not speak UTF-8, or when its
 * clock and ours are more than 10 s apart. The password is in no message.
 */
export async function openPostgres(url: string, folder: string, watch: PostgresWatch): Promise<OpenPostgres> {
  const place = readPostgresUrl(url, folder);
  const pool = openPool(place);
  // Both are told again to whoever uses the connection next; unheard they would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  try {
    await checkServer(pool, place.name);
    await checkClock(pool, place.name, watch);
  } catch (error) {
    await pool.end();
    throw explainPostgresError(error, place.name);
  }
  return { db: new Kysely<Schema>({ dialect: postgresDialect(pool, place.name) }), place: place.name };
}

export interface OpenPostgres {
  readonly db: Database;
  /** For messages. */
  readonly place: string;
}

function openPool(place: PostgresPlace): Pool {
  const { host, port, user, password, database, ssl, applicationName } = place;
  return new Pool({
    host,
    port,
    user,
    database,
    ssl,
    ...(password === undefined ? {} : { password }),
    application_name: applicationName,
    max: maxConnections,
    connectionTimeoutMillis: connectTimeoutMs,
    idleTimeoutMillis: idleTimeoutMs,
    statement_timeout: statementTimeoutMs,
    lock_timeout: lockTimeoutMs,
    idle_in_transaction_session_timeout: idleInTransactionMs,
    query_timeout: answerTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: connectTimeoutMs,
    types: { getTypeParser: (oid: number) => (oid === int8 ? Number : types.getTypeParser(oid)) },
    onConnect: (client) => prepareSession(client, place.name),
  });
}

/**
 * Every connection: to a server that takes writes (after a failover the old one may be a standby), and never with a
 * commit that a power cut can undo: a refreshed token must be durable before it is used.
 */
async function prepareSession(client: ClientBase, place: string): Promise<void> {
  const { rows } = await client.query<{ is_standby: boolean; synchronous: string }>(
    "select pg_is_in_recovery() as is_standby, current_setting('synchronous_commit') as synchronous",
  );
  if (rows[0]?.is_standby === true) {
    const message = `the store ${place} is a standby, which takes no writes. Name the primary under "store"; after a failover it is found again by itself.`;
    throw new RollcallError(message, { code: 'STORE_INVALID', retry: 'backoff' });
  }
  if (rows[0]?.synchronous === 'off') await client.query('set synchronous_commit = on');
}

async function checkServer(pool: Pool, place: string): Promise<void> {
  const { rows } = await pool.query<{ encoding: string; version: number }>(
    "select current_setting('server_encoding') as encoding, current_setting('server_version_num')::int as version",
  );
  const { encoding = '', version = 0 } = rows[0] ?? {};
  if (encoding !== 'UTF8') {
    const message = `the store ${place} has the encoding ${encoding}, which cannot hold every name. Create a database with the encoding UTF8.`;
    throw new RollcallError(message, { code: 'STORE_INVALID' });
  }
  if (version < 130_000) {
    const message = `the store ${place} is a PostgreSQL of version ${Math.floor(version / 10_000)}; 13 or newer is needed.`;
    throw new RollcallError(message, { code: 'STORE_INVALID' });
  }
}

/**
 * Leases run by each worker's own clock: one that is ahead takes a lease over too early. The fence still keeps its
 * writes apart, but not what goes to the platform. All workers compare with the one clock of the server, so two that
 * were let in are at most 20 s apart, less than the 30 s of a run's lease.
 */
async function checkClock(pool: Pool, place: string, { clock, logger }: PostgresWatch): Promise<void> {
  if (clock === undefined) return;
  const before = clock.now();
  const { rows } = await pool.query<{ now: number }>(
    'select (extract(epoch from clock_timestamp()) * 1000)::bigint as now',
  );
  const after = clock.now();
  const theirs = rows[0]?.now ?? before;
  // The server looked at its clock somewhere between the two: only what lies outside is certain.
  const skewMs = Math.max(0, before - theirs, theirs - after);
  if (skewMs > mostSkewMs) {
    const message =
      `the clock of this machine and that of the store ${place} are ${Math.round(skewMs / 1000)} s apart; more than ` +
      `${mostSkewMs / 1000} s would let two workers have the same run. Set the clocks right (NTP, chrony) and start again.`;
    throw new RollcallError(message, { code: 'STORE_INVALID', retry: 'backoff' });
  }
  if (skewMs > toldSkewMs) {
    logger?.warn(
      { store: place, skewMs: Math.round(skewMs) },
      "this machine's clock and the store's are apart: check NTP",
    );
  }
}
