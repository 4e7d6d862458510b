import { Client, type QueryResult } from 'pg';
import { postgresTls, readTls, type ServerPlace } from './database-url.ts';
import {
  closeTimeoutMs,
  connectTimeoutMs,
  graceMs,
  type SessionOptions,
  type SqlRow,
  type SqlSession,
} from './sql-session.ts';
import { readDate, readJsonText, readPadded } from './sql-values.ts';
import { spellings, sqlWords } from './sql-words.ts';

/** Connects, and begins the transaction. Throws the driver's errors. */
async function connect(place: ServerPlace, options: SessionOptions) {
  const { statementTimeoutMs, signal } = options;
  const tls = await readTls(place.tls, options);
  const client = new Client({
    host: place.host,
    port: place.port,
    user: place.user,
    database: place.database,
    ...(place.password === undefined ? {} : { password: place.password }),
    ssl: postgresTls(tls, place.host),
    application_name: place.applicationName,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: statementTimeoutMs + graceMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: connectTimeoutMs,
    types: { getTypeParser: (oid: number) => parsers.get(oid) ?? asItIs },
  });
  // Pending calls receive connection errors. Without a listener such an error would end the process.
  client.on('error', () => {});
  const breakOff = (): void => void client.connection.stream.destroy();
  signal.addEventListener('abort', breakOff, { once: true });
  const close = async (): Promise<void> => {
    signal.removeEventListener('abort', breakOff);
    // Uses the timers of the process, because it guards a real socket.
    const late = setTimeout(breakOff, closeTimeoutMs);
    await client.end().finally(() => clearTimeout(late));
  };
  try {
    await client.connect();
    await client.query(begin(statementTimeoutMs));
    return { client, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Begins a read-only transaction at `repeatable read`, which is a snapshot in PostgreSQL, and reads through a cursor.
 * Uses the extended protocol, in which the server refuses a second statement. Throws the driver's errors.
 */
export async function openPostgres(place: ServerPlace, options: SessionOptions): Promise<SqlSession> {
  const words = sqlWords('postgres', options.query);
  const { client, close } = await connect(place, options);
  const run = (text: string, values: readonly unknown[] = []): Promise<QueryResult<SqlRow>> =>
    client.query<SqlRow>({ text, values: [...values], ...extended });

  return {
    close,
    async columns() {
      return (await run(words.noRows)).fields.map(({ name }) => name);
    },
    async count(key) {
      const { rows } = await client.query<unknown[]>({ text: words.count(key), rowMode: 'array', ...extended });
      const [all, keyed, keys] = (rows[0] ?? []).map(Number);
      return { rows: all ?? 0, keyed: keyed ?? 0, keys: keys ?? 0 };
    },
    async *pages({ key, size, named }) {
      const people = named === undefined ? undefined : { column: named.column, isAmong: '= any($1)' };
      const values = named === undefined ? [] : [spellings(named.identifications)];
      await run(`declare rollcall no scroll cursor for ${words.rows(key, people)}`, values);
      for (;;) {
        const { rows } = await run(`fetch forward ${size} from rollcall`);
        if (rows.length > 0) yield { rows, json: JSON.stringify(rows) };
        if (rows.length < size) return;
      }
    },
  };
}

/** Sends one statement by the extended protocol, which refuses a second one. The driver's default accepts several. */
const extended = { queryMode: 'extended' } as const;

/** The settings apply to this transaction only, so that a connection pooler keeps none of them. */
function begin(statementTimeoutMs: number): string {
  return [
    'begin isolation level repeatable read read only',
    `set local statement_timeout = ${statementTimeoutMs}`,
    "set local timezone = 'UTC'",
    "set local datestyle = 'ISO, YMD'",
    "set local bytea_output = 'hex'",
    'set local cursor_tuple_fraction = 1',
  ].join('; ');
}

const asItIs = (text: string): unknown => text;

/** Types by object id in PostgreSQL's catalog (pg_type.dat). All others are text as the server writes it. */
const parsers: ReadonlyMap<number, (text: string) => unknown> = new Map([
  [16, (text: string): unknown => text === 't'], // bool
  [17, (text: string): unknown => text.replace(/^\\x/, '')], // bytea
  [21, Number], // int2
  [23, Number], // int4
  [700, Number], // float4
  [701, Number], // float8
  [114, readJsonText], // json
  [3802, readJsonText], // jsonb
  [1042, readPadded], // bpchar: char(n)
  [1082, readDate], // date
  [1114, readDate], // timestamp
  [1184, readDate], // timestamptz
]);
