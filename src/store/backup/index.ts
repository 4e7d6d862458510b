import { stat } from 'node:fs/promises';
import { sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { conflict, RollcallError, usageError } from '../../core/run/errors.ts';
import { countOf, firstOf } from '../../core/run/formats.ts';
import { given } from '../../core/run/given.ts';
import type {
  BackupHeader,
  BackupSummary,
  RestorePreview,
  RestoreReport,
  StoreContents,
} from '../../ports/store-operations.ts';
import { appendAudit } from '../audit/chain.ts';
import { type Database, inTransaction, isPostgresUrl, type OpenTransaction, type Schema } from '../db/database.ts';
import { columnNames, isPostgres, lockTables, tableNames } from '../db/differences.ts';
import { checkKeys } from '../db/key-ring.ts';
import { migrateIn, readExecuted } from '../db/migrate.ts';
import { type Migrations, migrations } from '../db/migrations/index.ts';
import { RowWriter } from '../db/row-writer.ts';
import { clockNow } from '../db/store-clock.ts';
import { isDeclared, tables } from '../db/tables.ts';
import { openDatabase, type StoreBase, sqlitePath } from '../open-store.ts';
import { requireReadable } from '../privacy/sealing.ts';
import { type Restored, settleRestored } from './after-restore.ts';
import {
  type BackupPart,
  damaged,
  readBackupFile,
  readLines,
  type SqlValue,
  writeBackupFile,
  writeLines,
} from './backup-file.ts';
import { readPostgres, readSqlite } from './snapshot.ts';

const rowsAtOnce = 1000;

/** Reads the whole file and checks it. Throws `USAGE` or `STORE_INVALID` unless this version can restore it. */
async function inspectBackup(file: string): Promise<BackupSummary> {
  const { size: bytes } = await stat(file).catch((cause: NodeJS.ErrnoException) => {
    const message = `the backup ${file} cannot be read (${cause.code ?? 'unknown error'}). Check the path.`;
    throw new RollcallError(message, { code: 'USAGE', cause });
  });
  const rows: Record<string, number> = {};
  let header: BackupHeader | undefined;
  let table = '';
  for await (const part of readLines(readBackupFile(file), file)) {
    if (part.kind === 'header') {
      ({ header } = part);
      requireKnown(header, file);
    } else if (part.kind === 'row') rows[table] = (rows[table] ?? 0) + 1;
    else {
      ({ table } = part);
      rows[table] = 0;
    }
  }
  if (header === undefined) throw damaged(file, 'it has no content');
  return { ...header, file, bytes, rows };
}

function requireKnown({ migrations: had, version }: BackupHeader, file: string): void {
  const newer = had.find((name) => !Object.hasOwn(migrations, name));
  if (newer === undefined) return;
  const message = `the backup ${file} was made by a newer version of Rollcall (${version}): it has the migration ${newer}, which this version does not know. Restore it with Rollcall ${version} or later. Nothing was changed.`;
  throw new RollcallError(message, { code: 'STORE_INVALID' });
}

/**
 * Counts what is in the store. Throws as `openStore` does for a database that is not of this version or an older one.
 */
export async function contentsOf(db: Database, place: string): Promise<StoreContents> {
  await readExecuted(db, place);
  const rows: Record<string, number> = {};
  for (const table of (await tableNames(db)).filter(isContent)) {
    const counted = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(db);
    const count = Number(counted.rows[0]?.count ?? 0);
    if (count > 0) rows[table] = count;
  }
  return { place, rows };
}

function isContent(table: string): boolean {
  const facts = isDeclared(table) ? tables[table] : undefined;
  return facts?.isBookkeeping !== true && !table.startsWith('kysely_');
}

/** Throws `CONFLICT` while a process works on the store: what it knows would no longer be true. */
export async function requireNoProcess(db: Database, place: string, now: number): Promise<void> {
  if (!(await tableNames(db)).includes('leases')) return;
  const held = await db
    .selectFrom('leases')
    .select(['name', 'owner', 'until_at'])
    .where('owner', 'is not', null)
    .where('until_at', '>', now)
    .orderBy('until_at', 'desc')
    .execute();
  const [last] = held;
  if (last === undefined) return;
  const named = held.slice(0, 5).map(({ name, owner }) => `"${name}" of ${owner}`);
  const until = new Date(last.until_at).toISOString();
  const message = `processes work on the store ${place}. Leases that are held, until ${until} at most: ${firstOf(named, held.length).join(', ')}. Stop every "rollcall start" and command on this store, wait until then, and try again. Nothing was changed.`;
  throw conflict(message);
}

interface RestoreOrder extends Restored {
  readonly file: string;
  readonly place: string;
  /** The contents that the operator agreed to replace. */
  readonly replaces: StoreContents;
}

/**
 * Replaces the whole store by the backup, in one transaction: after any failure the store is as before. Also ends what
 * must not continue without an operator (`settleRestored`). The tables are those of this version afterwards. `check`
 * sees the restored store last, and undoes everything by throwing.
 */
export async function restoreInto(
  db: Database,
  order: RestoreOrder,
  check: (restored: OpenTransaction) => Promise<void>,
  known = migrations,
): Promise<RestoreReport> {
  const backup = await inspectBackup(order.file);
  // Outside the transaction, where SQLite would ignore it. The connection is closed after the restore.
  if (!isPostgres(db)) await sql`pragma foreign_keys = off`.execute(db);
  return db.transaction().execute(async (transaction) => {
    await lockTables(transaction);
    await requireNoProcess(transaction, order.place, order.now);
    const parts = readLines(readBackupFile(order.file), order.file);
    await replaceAll(transaction, { ...backup, ...order, parts }, known);
    const effects = await settleRestored(transaction, order, backup.madeAt);
    await check(transaction);
    return { backup, replaces: order.replaces, effects };
  });
}

/** All that a store has. `file`: where it comes from, for messages. */
interface Content {
  readonly migrations: readonly string[];
  readonly parts: AsyncIterable<BackupPart>;
  readonly file: string;
  readonly place: string;
}

/** Replaces the store. Leaves out what only a later version knows: it has added it, so that this version may lack it. */
export async function replaceAll(db: OpenTransaction, content: Content, known = migrations): Promise<void> {
  await dropTables(db);
  await makeTables(db, content.migrations, known);
  await load(db, content);
  await migrateIn(db, content.place, known);
}

async function dropTables(db: Database): Promise<void> {
  const names = await tableNames(db);
  if (names.length === 0) return;
  if (isPostgres(db)) {
    await sql`drop table ${sql.join(names.map((name) => sql.table(name)))} cascade`.execute(db);
    return;
  }
  for (const name of names) await sql`drop table ${sql.table(name)}`.execute(db);
}

/** Makes the tables as they were in the backup, so that later migrations find its data as they expect it. */
async function makeTables(db: Database, names: readonly string[], known: Migrations): Promise<void> {
  const wanted = Object.fromEntries(Object.entries(known).filter(([name]) => names.includes(name)));
  const { error } = await new Migrator({
    db,
    provider: { getMigrations: async () => wanted },
    allowUnorderedMigrations: true,
  }).migrateToLatest();
  if (error !== undefined) throw error;
  for (const name of (await tableNames(db)).filter((one) => !one.startsWith('kysely_'))) {
    await sql`delete from ${sql.table(name)}`.execute(db);
  }
}

async function load(db: OpenTransaction, { parts, file, migrations: had }: Content): Promise<void> {
  const known = await columnNames(db);
  const isOfLater = had.some((name) => !Object.hasOwn(migrations, name));
  let target: Target | undefined;
  for await (const part of parts) {
    if (part.kind === 'header') continue;
    if (part.kind === 'table') {
      await target?.flush();
      const { table, columns } = part;
      const has = known.get(table);
      if (!isOfLater && !columns.every((name) => has?.has(name))) {
        throw damaged(file, 'it has a table or column that its migrations do not make');
      }
      target = openTarget(
        db,
        table,
        columns.map((name) => (has?.has(name) === true ? name : undefined)),
      );
    } else {
      if (target === undefined) throw damaged(file, 'it has rows without a table');
      await target.add(part.row);
    }
  }
  await target?.flush();
}

type Target = ReturnType<typeof openTarget>;

/** `columns`: in the order of the rows; undefined for one that the table lacks. */
function openTarget(db: OpenTransaction, table: string, columns: readonly (string | undefined)[]) {
  const writer = new RowWriter<keyof Schema, Record<string, SqlValue>>(table as keyof Schema);
  let rows: Record<string, SqlValue>[] = [];
  const flush = async (): Promise<void> => {
    if (rows.length > 0 && columns.some((name) => name !== undefined)) await writer.write(db, rows);
    rows = [];
  };
  return {
    flush,
    async add(row: readonly SqlValue[]) {
      rows.push(
        Object.fromEntries(columns.flatMap((name, at) => (name === undefined ? [] : [[name, row[at] ?? null]]))),
      );
      if (rows.length >= rowsAtOnce) await flush();
    },
  };
}

export interface BackupParts extends Pick<StoreBase, 'folder' | 'seals'> {
  /** Version of this Rollcall. */
  readonly version: string;
  /** The machine's clock. */
  readonly now: () => number;
}

/**
 * Writes all data of the store into a new file, as it is at one instant, and reads the file back. Other processes may
 * continue to work. What is sealed in the store is sealed in the file. Throws `USAGE` for a file that exists and for a
 * store in memory, and `STORE_INVALID` for a store that cannot be read.
 */
export async function backUpStore(url: string, file: string, parts: BackupParts): Promise<BackupSummary> {
  requireLasting(url, parts.folder);
  await writeBackupFile(file, writeLines(readStore(url, parts)));
  return inspectBackup(file);
}

/** Yields all data of the store as it is at one instant. Changes nothing in it, and does not migrate it. */
export function readStore(url: string, { folder, version, now }: BackupParts): AsyncGenerator<BackupPart> {
  return isPostgresUrl(url) ? readPostgres(url, folder, version) : readSqlite(sqlitePath(url, folder), version, now);
}

/** Notes a backup in the audit of the store. A store that cannot be written is worth a backup all the more. */
export async function noteBackup(
  url: string,
  rows: number,
  { id, by, reason, as, ...parts }: BackupParts & Pick<Restored, 'id' | 'by' | 'reason' | 'as'>,
): Promise<void> {
  const about = { sync: undefined, connection: undefined, run: undefined, detail: countOf(rows, 'row') };
  const write = async (db: Database): Promise<void> => {
    const at = await clockNow(db, parts.now);
    const entry = { id, at, by, action: 'backup', ...about, ...given({ reason, as }) } as const;
    await inTransaction(db, (transaction) => appendAudit(transaction, entry));
  };
  await withDatabase(url, parts, write).catch(() => {});
}

/** Returns what `restoreStore` would restore and replace. Changes nothing. Throws as it does. */
export async function previewRestore(url: string, file: string, parts: BackupParts): Promise<RestorePreview> {
  const backup = await inspectBackup(file);
  return withDatabase(url, parts, async (db, place) => {
    const replaces = await contentsOf(db, place);
    await requireNoProcess(db, place, await clockNow(db, parts.now));
    return { backup, replaces };
  });
}

/**
 * Replaces the store by the backup, of either kind of database. Throws `CONFLICT` while a process works on the store, and
 * `STORE_INVALID` for a damaged file, a file of a newer version, or sealed data without its key: nothing is changed then.
 */
export async function restoreStore(
  url: string,
  file: string,
  parts: BackupParts & Omit<Restored, 'now'>,
): Promise<RestoreReport> {
  requireLasting(url, parts.folder);
  return withDatabase(url, parts, async (db, place) => {
    const replaces = await contentsOf(db, place);
    const now = await clockNow(db, parts.now);
    return restoreInto(db, { ...parts, now, file, place, replaces }, async (restored) => {
      await requireReadable(restored, parts.seals ?? []);
      await checkKeys(restored, parts.seals ?? []);
    });
  });
}

export async function withDatabase<T>(
  url: string,
  { folder }: Pick<BackupParts, 'folder'>,
  use: (db: Database, place: string) => Promise<T>,
): Promise<T> {
  const { db, place } = await openDatabase(url, { folder });
  try {
    return await use(db, place);
  } finally {
    await db.destroy();
  }
}

export function requireLasting(url: string, folder: string): void {
  if (isPostgresUrl(url) || sqlitePath(url, folder) !== ':memory:') return;
  throw usageError('the store sqlite::memory: is only in memory, so it cannot be backed up.');
}
