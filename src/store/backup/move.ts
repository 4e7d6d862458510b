import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { conflict, usageError } from '../../core/run/errors.ts';
import { given } from '../../core/run/given.ts';
import type { MoveReport, StoreContents } from '../../ports/store-operations.ts';
import { appendAudit } from '../audit/chain.ts';
import type { Database, OpenTransaction } from '../db/database.ts';
import { isPostgres, lockTables, tableNames } from '../db/differences.ts';
import { checkKeys } from '../db/key-ring.ts';
import { migrate, readExecuted } from '../db/migrate.ts';
import { clockNow } from '../db/store-clock.ts';
import { movedTo } from '../db/store-proof.ts';
import { requireReadable } from '../privacy/sealing.ts';
import type { Restored } from './after-restore.ts';
import type { BackupPart } from './backup-file.ts';
import {
  type BackupParts,
  contentsOf,
  readStore,
  replaceAll,
  requireLasting,
  requireNoProcess,
  withDatabase,
} from './index.ts';

type MoveOrder = BackupParts & Pick<Restored, 'id' | 'by' | 'reason' | 'as'>;

interface Ends {
  readonly source: Database;
  readonly from: StoreContents;
  readonly target: Database;
  readonly place: string;
}

/**
 * Moves all that another store has into this one, which must be empty: tokens, who is managed and missing, decisions, runs and
 * the audit stay true, because no process works meanwhile. First every process learns to refuse the other store, so that no token
 * is ever presented from both. Then one transaction writes this one. A move that was killed in between continues when it is
 * called again. Throws as `openStore` does for a store that this version cannot use, and `CONFLICT` while a process works on one
 * of them: then both are as before.
 */
export async function moveStore(fromUrl: string, url: string, order: MoveOrder): Promise<MoveReport> {
  for (const one of [fromUrl, url]) requireLasting(one, order.folder);
  // A SQLite store that is opened is made, so a wrong path would move nothing.
  const probe = readStore(fromUrl, order);
  await probe.next().finally(() => probe.return(undefined));
  return withDatabase(fromUrl, order, async (source, sourcePlace) => {
    await migrate(source, sourcePlace);
    await requireReadable(source, order.seals ?? []);
    await requireNoProcess(source, sourcePlace, await clockNow(source, order.now));
    // The configured store is opened last, because a SQLite one is made then.
    return withDatabase(url, order, async (target, place) => {
      if (sourcePlace === place) throw usageError(`${place} is the configured store itself.`);
      const ends = { source, from: await contentsOf(source, sourcePlace), target, place };
      return { from: ends.from, place, isDone: await moveBetween(ends, () => readStore(fromUrl, order), order) };
    });
  });
}

async function moveBetween(
  { source, from, target, place }: Ends,
  read: () => AsyncIterable<BackupPart>,
  order: MoveOrder,
): Promise<boolean> {
  const identity = await source.selectFrom('store_identity').selectAll().executeTakeFirstOrThrow();
  const mark = `${movedTo}${place}`;
  if (identity.refused !== null && identity.refused !== mark) {
    throw conflict(`the store ${from.place} cannot be moved: ${identity.refused}. Nothing was changed.`);
  }
  const refuse = (refused: string | null) => source.updateTable('store_identity').set({ refused }).execute();
  const hasAll = async (db: Database): Promise<boolean> => {
    if (!(await tableNames(db)).includes('store_identity')) return false;
    const held = await db.selectFrom('store_identity').select('moved_from').executeTakeFirst();
    return held?.moved_from === identity.id;
  };
  await refuse(mark);
  if (await hasAll(target)) return true;
  try {
    await requireNoProcess(source, from.place, await clockNow(source, order.now));
    const { executed: migrations } = await readExecuted(source, from.place);
    // Outside the transaction, where SQLite would ignore it.
    if (!isPostgres(target)) await sql`pragma foreign_keys = off`.execute(target);
    await target.transaction().execute(async (db) => {
      await lockTables(db);
      await requireEmpty(db, place);
      await replaceAll(db, { migrations, parts: read(), file: from.place, place });
      await own(db, { ...order, from: from.place, source: identity.id });
      await checkKeys(db, order.seals ?? []);
    });
    return false;
  } catch (error) {
    // A commit whose answer was lost may have happened.
    const isWritten = await hasAll(target).catch(() => true);
    if (!isWritten) await refuse(identity.refused);
    throw error;
  }
}

/** Makes this the store that processes work on. */
async function own(
  db: OpenTransaction,
  { source, from, ...order }: MoveOrder & { readonly source: string; readonly from: string },
): Promise<void> {
  const at = await clockNow(db, order.now);
  for (const table of ['turns', 'clock_marks'] as const) await db.deleteFrom(table).execute();
  // A fence never falls, so that no process of the former store could write here.
  await db.updateTable('leases').set({ owner: null, until_at: 0, fence: sql`fence + 1` }).execute();
  await db.updateTable('store_identity').set({ id: randomUUID(), refused: null, moved_from: source }).execute();
  const about = { sync: undefined, connection: undefined, run: undefined, detail: `from ${from}` };
  const { id, by, reason, as } = order;
  await appendAudit(db, { id, at, by, action: 'move', ...about, ...given({ reason, as }) });
}

async function requireEmpty(db: OpenTransaction, place: string): Promise<void> {
  if (Object.keys((await contentsOf(db, place)).rows).length === 0) return;
  throw usageError(`the store ${place} is not empty. Nothing was changed. Set "store" to one that has no data yet.`);
}
