import { connect } from 'node:net';
import { type Connection, createConnection, type FieldPacket, type RowDataPacket } from 'mysql2';
import { readTls, type ServerPlace } from './database-url.ts';
import {
  closeTimeoutMs,
  connectTimeoutMs,
  graceMs,
  type SessionOptions,
  type SqlRow,
  type SqlSession,
} from './sql-session.ts';
import { type ReadValue, readBinary, readDate, readJsonText } from './sql-values.ts';
import { spellings, sqlWords } from './sql-words.ts';

/** The server disconnects a client that reads nothing for this long. Its own default is a minute. */
const takeTimeoutSeconds = 600;

/**
 * Begins a read-only transaction with a consistent snapshot (of InnoDB tables; others have none), and streams: rows
 * wait in the server's socket until they are read. Works with MySQL and MariaDB. Throws the driver's errors.
 */
export async function openMysql(place: ServerPlace, options: SessionOptions): Promise<SqlSession> {
  const words = sqlWords('mysql', options.query);
  const tls = await readTls(place.tls, options);
  const target = place.host.startsWith('/') ? { path: place.host } : { host: place.host, port: place.port };
  const socket = connect({ ...target, keepAlive: true, keepAliveInitialDelay: connectTimeoutMs });
  const connection = createConnection({
    stream: socket,
    host: place.host,
    port: place.port,
    user: place.user,
    database: place.database,
    ...(place.password === undefined ? {} : { password: place.password }),
    ...(tls === undefined
      ? {}
      : {
          ssl: { rejectUnauthorized: tls.rejectUnauthorized, verifyIdentity: tls.isIdentityProven, ...tls.files },
        }),
    charset: 'utf8mb4',
    connectTimeout: connectTimeoutMs,
    dateStrings: true,
    jsonStrings: true,
    supportBigNumbers: true,
    bigNumberStrings: true,
  });
  let lost = new Error('the connection was closed');
  // Pending calls receive connection errors, except a stream. Without a listener the error would end the process.
  connection.on('error', (error: Error) => {
    lost = error;
  });
  const breakOff = (): void => void socket.destroy();
  options.signal.addEventListener('abort', breakOff, { once: true });
  socket.on('timeout', breakOff);
  const closed = new Promise<void>((resolve) => void socket.once('close', () => resolve()));
  // An orderly close is possible only when no call is pending and no error occurred.
  let isIdle = false;
  const close = async (): Promise<void> => {
    options.signal.removeEventListener('abort', breakOff);
    if (isIdle) {
      socket.setTimeout(closeTimeoutMs);
      connection.end(() => {});
    } else socket.destroy();
    await closed;
  };
  const waitAtMostMs = options.statementTimeoutMs + graceMs;
  const run = async (sql: string): Promise<Answer> => {
    isIdle = false;
    socket.setTimeout(waitAtMostMs);
    const answer = await ask(connection, sql);
    socket.setTimeout(0);
    isIdle = true;
    return answer;
  };

  try {
    await prepareSession(run, options.statementTimeoutMs);
    await run('start transaction with consistent snapshot, read only');
  } catch (error) {
    await close();
    throw error;
  }
  return {
    close,
    async columns() {
      return (await run(words.noRows)).fields.map(({ name }) => name);
    },
    async count(key) {
      const { rows } = await run(words.count(key));
      const [all, keyed, keys] = Object.values(rows[0] ?? {}).map(Number);
      return { rows: all ?? 0, keyed: keyed ?? 0, keys: keys ?? 0 };
    },
    async *pages({ key, size, named }) {
      const people = named === undefined ? undefined : { column: named.column, isAmong: among(named.identifications) };
      isIdle = false;
      const stream = connection.query(words.rows(key, people)).stream({ highWaterMark: size });
      void closed.then(() => {
        if (!stream.readableEnded) stream.destroy(lost);
      });
      let read: (row: SqlRow) => SqlRow = (row) => row;
      stream.once('fields', (fields: readonly FieldPacket[]) => {
        read = rowReader(fields);
      });
      let page: SqlRow[] = [];
      socket.setTimeout(waitAtMostMs);
      for await (const row of stream as AsyncIterable<SqlRow>) {
        page.push(read(row));
        if (page.length < size) continue;
        // Time that the reader spends on a page does not count for the server.
        socket.setTimeout(0);
        yield { rows: page, json: JSON.stringify(page) };
        socket.setTimeout(waitAtMostMs);
        page = [];
      }
      socket.setTimeout(0);
      isIdle = true;
      if (page.length > 0) yield { rows: page, json: JSON.stringify(page) };
    },
  };
}

interface Answer {
  readonly rows: readonly SqlRow[];
  readonly fields: readonly FieldPacket[];
}

function ask(connection: Connection, sql: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    connection.query<RowDataPacket[]>(sql, (error, rows, fields) => {
      if (error === null) resolve({ rows, fields });
      else reject(error);
    });
  });
}

async function prepareSession(run: (sql: string) => Promise<Answer>, statementTimeoutMs: number): Promise<void> {
  const { rows } = await run('select version() as version');
  const isMariaDb = /mariadb/i.test(String(rows[0]?.version));
  const limit = isMariaDb
    ? `max_statement_time = ${statementTimeoutMs / 1000}`
    : `max_execution_time = ${statementTimeoutMs}`;
  await run(`set session time_zone = '+00:00', net_write_timeout = ${takeTimeoutSeconds}, ${limit}`);
  await run('set session transaction isolation level repeatable read');
}

/** Binds values as bytes in hexadecimal, which cannot be read as SQL in any sql_mode. */
function among(identifications: readonly string[]): string {
  const texts = spellings(identifications).filter((text) => text !== '');
  const literals = texts.map((text) => `_utf8mb4 x'${Buffer.from(text).toString('hex')}'`);
  return `in (${literals.length === 0 ? 'null' : literals.join(', ')})`;
}

/** Converts only the columns whose type needs it. */
function rowReader(fields: readonly FieldPacket[]): (row: SqlRow) => SqlRow {
  const changes = fields.flatMap(({ name, type = 0, characterSet = binary, extendedFormat }) => {
    const isText = type >= 249 && characterSet !== binary;
    // MariaDB stores JSON as text, and names it in the type metadata.
    const read = extendedFormat === 'json' ? ofText(readJsonText) : isText ? undefined : readers.get(type);
    return read === undefined ? [] : [{ name, read }];
  });
  return (row) => {
    for (const { name, read } of changes) row[name] = read(row[name]);
    return row;
  };
}

const ofText =
  (read: (text: string) => unknown): ReadValue =>
  (value) =>
    typeof value === 'string' ? read(value) : value;
const ofBytes =
  (read: (bytes: Uint8Array) => unknown): ReadValue =>
  (value) =>
    value instanceof Uint8Array ? read(value) : value;

/** Column types of the protocol (field_types.h). The driver's values of all others are used unchanged. */
const readers: ReadonlyMap<number, ReadValue> = new Map([
  [7, ofText(readDate)], // timestamp
  [10, ofText(readDate)], // date
  [12, ofText(readDate)], // datetime
  [16, ofBytes(readBits)], // bit
  [245, ofText(readJsonText)], // json
  [249, ofBytes(readBinary)], // tinyblob
  [250, ofBytes(readBinary)], // mediumblob
  [251, ofBytes(readBinary)], // longblob
  [252, ofBytes(readBinary)], // blob, text
  [253, ofBytes(readBinary)], // varbinary, varchar
  [254, ofBytes(readBinary)], // binary, char
]);

/** The character set `binary`. */
const binary = 63;

/** `bit(1)` holds a Boolean. */
function readBits(bytes: Uint8Array): boolean | string {
  return bytes.length === 1 && (bytes[0] ?? 0) < 2 ? bytes[0] === 1 : readBinary(bytes);
}
