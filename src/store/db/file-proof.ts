import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import Sqlite from 'better-sqlite3';
import { sql } from 'kysely';
import { RollcallError } from '../../core/run/errors.ts';
import type { Database } from './database.ts';

const proofName = 'proof of the file';

/**
 * Returns a check that an open SQLite database is the file at its path. A deleted file lives on as long as a process has it
 * open: what is written to it, a rotated token too, ends with the process (sqlite.org, "How to corrupt", 2.4). Device and inode are a
 * hint, because some network volumes change them. Where they differ, a value that is written through the open database must be
 * found at the path. Rejects with `STORE_INVALID` otherwise.
 */
export async function openFileProof(
  db: Database,
  path: string,
  identify: typeof identityOf = identityOf,
): Promise<() => Promise<void>> {
  let known = await identify(path);
  return async () => {
    const now = await identify(path);
    if (now !== undefined && now === known) return;
    if (now === undefined || !(await isShownAt(path, db))) throw replaced(path);
    known = now;
  };
}

async function identityOf(path: string): Promise<string | undefined> {
  const facts = await stat(path, { bigint: true }).catch(() => undefined);
  return facts && `${facts.dev} ${facts.ino}`;
}

async function isShownAt(path: string, db: Database): Promise<boolean> {
  const value = randomUUID();
  await db
    .insertInto('leases')
    .values({ name: proofName, owner: value, fence: 1, until_at: 0 })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ owner: value }))
    .execute();
  // The log beside the file would show the value for any file at the path.
  await sql`pragma wal_checkpoint(truncate)`.execute(db);
  try {
    const other = new Sqlite(path, { readonly: true, fileMustExist: true });
    try {
      const found = other
        .prepare<[string], { owner: string }>('select owner from leases where name = ?')
        .get(proofName);
      return found?.owner === value;
    } finally {
      other.close();
    }
  } catch {
    return false;
  }
}

function replaced(path: string): RollcallError {
  const message = `the store ${path} was deleted or replaced while this process has it open. No run starts and no token is presented, because new writes would be lost. Put the file back, or stop this process and start it again with the file that is there.`;
  const cause = Object.assign(new Error('the file at this path is missing or a different one'), {
    code: 'STORE_REPLACED',
  });
  return new RollcallError(message, { code: 'STORE_INVALID', retry: 'backoff', cause });
}
