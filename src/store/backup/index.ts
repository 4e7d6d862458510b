import type { Kysely } from 'kysely';
import { RollcallError } from '../../core/run/errors.ts';
import type { BackupSummary, RestorePreview, RestoreReport } from '../../ports/store-operations.ts';
import type { Database } from '../db/database.ts';
import { checkKeys } from '../db/key-ring.ts';
import { isPostgresUrl } from '../db/postgres.ts';
import { clockNow } from '../db/store-clock.ts';
import { openDatabase, type StoreBase, sqlitePath } from '../open-store.ts';
import type { Restored } from './after-restore.ts';
import { writeBackupFile } from './backup-file.ts';
import { writeLines } from './backup-lines.ts';
import { contentsOf, inspectBackup, requireNoProcess, restoreInto } from './restore.ts';
import { readPostgres, readSqlite } from './snapshot.ts';

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
  const data = isPostgresUrl(url)
    ? readPostgres(url, parts.folder, parts.version)
    : readSqlite(sqlitePath(url, parts.folder), parts.version, parts.now);
  await writeBackupFile(file, writeLines(data));
  return inspectBackup(file);
}

/** Returns what `restoreStore` would restore and replace. Changes nothing. Throws as it does. */
export async function previewRestore(url: string, file: string, parts: BackupParts): Promise<RestorePreview> {
  const backup = await inspectBackup(file);
  return withDatabase(url, parts, async (db, place) => {
    const replaces = await contentsOf(db, place);
    await requireNoProcess(db, place, await clockNow(db as unknown as Database, parts.now));
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
    const now = await clockNow(db as unknown as Database, parts.now);
    return restoreInto(db, { ...parts, now, file, place, replaces }, (restored) =>
      checkKeys(restored, parts.seals ?? []),
    );
  });
}

async function withDatabase<T>(
  url: string,
  { folder }: Pick<BackupParts, 'folder'>,
  use: (db: Kysely<unknown>, place: string) => Promise<T>,
): Promise<T> {
  const { db, place } = await openDatabase(url, { folder });
  try {
    return await use(db as unknown as Kysely<unknown>, place);
  } finally {
    await db.destroy();
  }
}

function requireLasting(url: string, folder: string): void {
  if (isPostgresUrl(url) || sqlitePath(url, folder) !== ':memory:') return;
  throw new RollcallError('the store sqlite::memory: ends with the process, so it has no backup.', { code: 'USAGE' });
}
