import { createHash } from 'node:crypto';
import type { SourceRecord } from '../../core/person/person.ts';
import { normalText } from '../../core/person/text.ts';
import type { ReadEnd } from '../../core/plan/snapshot.ts';
import { RollcallError } from '../../core/run/errors.ts';
import { countOf } from '../../core/run/formats.ts';
import type { SqlCounts, SqlRow } from '../../drivers/sql/sql-session.ts';
import type { ReadRequest, SourceIo, SourcePage } from '../../ports/source.ts';
import { defineKind } from '../kit/kind.ts';
import { acceptsOnly } from '../kit/pages.ts';
import { SqlConfig } from './config.ts';
import { type OpenSession, openSession } from './open-session.ts';

/** A query on the HR system's own database: PostgreSQL, MySQL, MariaDB or an SQLite file. */
export const sql = defineKind({
  kind: 'sql',
  title: 'a query on a PostgreSQL, MySQL, MariaDB or SQLite database',
  capabilities: { delta: false, point: true, terminated: 'configurable', future: 'configurable' },
  config: SqlConfig,
  folder: import.meta.dirname,
  isHttp: false,
  open: (config, { folder }) => ({
    // The query that does not show a person in one snapshot does not show them by their key either.
    looksUp: () => false,
    read: (request, io) => readSql(config, folder, request, io),
    fields: (io) => readSqlColumns(config, folder, io),
  }),
});

/** Reads the query in one read-only transaction: its columns, the database's own counts, then its rows by key. */
async function* readSql(
  config: SqlConfig,
  folder: string,
  request: ReadRequest,
  io: SourceIo,
): AsyncGenerator<SourcePage, ReadEnd> {
  const open = await openSession(config, folder, io);
  try {
    return yield* readRows(open, config, request, io);
  } catch (error) {
    throw open.explain(error);
  } finally {
    await open.session.close();
  }
}

/** Returns the columns of the query, without reading a row. */
async function readSqlColumns(config: SqlConfig, folder: string, io: SourceIo): Promise<readonly string[]> {
  const { session, place, explain } = await openSession(config, folder, io);
  try {
    const columns = await session.columns();
    checkColumns(place, columns, [config.key]);
    return columns;
  } catch (error) {
    throw explain(error);
  } finally {
    await session.close();
  }
}

async function* readRows(
  { session, place }: OpenSession,
  { key, fetchRows }: SqlConfig,
  request: ReadRequest,
  io: SourceIo,
): AsyncGenerator<SourcePage, ReadEnd> {
  const columns = await session.columns();
  checkColumns(place, columns, request.kind === 'point' ? [key, request.field] : [key]);
  const counts = request.kind === 'full' ? await session.count(key) : undefined;
  const named = request.kind === 'point' ? { column: request.field, ...request } : undefined;
  const accepts = acceptsOnly(request);
  const hash = createHash('sha256').update(JSON.stringify(columns));
  let rows = 0;
  let given = 0;
  for await (const page of session.pages({ key, size: fetchRows, named })) {
    io.signal.throwIfAborted();
    const records: SourceRecord[] = [];
    for (const row of page.rows) {
      rows += 1;
      keepDigits(row, key);
      if (accepts === undefined || accepts(row)) records.push({ at: `row ${rows} by ${key}`, fields: row });
    }
    hash.update(page.json);
    given += records.length;
    if (records.length > 0) yield { records, broken: [] };
    io.signal.throwIfAborted();
  }
  const stamp = hash.digest('base64url');
  if (counts === undefined) {
    return { complete: true, rows: given, evidence: 'the database looked the people up by their key', stamp };
  }
  const reasons = doubts(counts, rows, key);
  if (reasons.length > 0) return { complete: false, rows, reasons };
  const evidence = `one snapshot of the database, which counts ${countOf(rows, 'row')} and as many different ${key}`;
  return { complete: true, rows, evidence, stamp, asOf: 'read' };
}

/** A key is text, whatever its column's type. */
function keepDigits(row: SqlRow, key: string): void {
  const value = row[key];
  if (typeof value === 'number') row[key] = String(value);
}

function doubts({ rows, keyed, keys }: SqlCounts, came: number, key: string): readonly string[] {
  const reasons: string[] = [];
  if (came === 0)
    reasons.push(
      'the query returns no rows, which is treated as a fault: check its conditions, and the permissions of its user',
    );
  if (came !== rows) {
    reasons.push(
      `the database counts ${countOf(rows, 'row')}, but returned ${came}: the query does not return the same rows each time, ` +
        'or reads tables without transactions (MyISAM)',
    );
  }
  if (keyed < rows) reasons.push(`${countOf(rows - keyed, 'row has', 'rows have')} no ${key}`);
  if (keys < keyed) {
    const who = countOf(keyed - keys, 'row has', 'rows have');
    reasons.push(`${who} a ${key} that another row has too: make the query return one row for each employee`);
  }
  return reasons;
}

/**
 * Checks that a mapping can name every column: names are unique, and the required ones exist. Throws
 * `SOURCE_UNAVAILABLE` with `retry: never`.
 */
function checkColumns(place: string, columns: readonly string[], needed: readonly string[]): void {
  const problem = nameProblem(columns) ?? absenceProblem(columns, needed);
  if (problem === undefined) return;
  throw new RollcallError(`the query on ${place} cannot be used: ${problem}. Nothing was read.`, {
    code: 'SOURCE_UNAVAILABLE',
    raw: columns.join(', '),
  });
}

function nameProblem(columns: readonly string[]): string | undefined {
  const seen = new Map<string, number>();
  for (const [index, name] of columns.entries()) {
    const column = index + 1;
    const key = normalText(name).toLowerCase();
    const before = seen.get(key);
    if (key === '' || key === '?column?') return `column ${column} has no name; give it one with "as"`;
    if (key === '__proto__') return `column ${column} is called __proto__; give it another name with "as"`;
    if (before !== undefined) {
      return `columns ${before} and ${column} have the same name; give one another name with "as"`;
    }
    seen.set(key, column);
  }
  return undefined;
}

function absenceProblem(columns: readonly string[], needed: readonly string[]): string | undefined {
  const absent = needed.filter((name) => !columns.includes(name));
  if (absent.length === 0) return undefined;
  return `it returns no column ${absent.join(', ')} (names are case-sensitive)`;
}
