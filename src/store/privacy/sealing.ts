import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import { conflict } from '../../core/run/errors.ts';
import type { AuditEntry, Sealing, UnreadableValues } from '../../ports/store.ts';
import type { Seal } from '../../ports/tokens.ts';
import { appendAudit } from '../audit/chain.ts';
import { type Database, inTransaction, keyOf, type OpenTransaction } from '../db/database.ts';
import { type KeyRing, lostKey, openKeyRing, recordKey } from '../db/key-ring.ts';
import { isSameRow } from '../db/row-writer.ts';
import { type DeclaredColumn, declaredColumns, declaredTables, personKeyName, placeOf, tables } from '../db/tables.ts';
import { emptyChange } from '../plans/changes.ts';

/** Rows per transaction. Other writers wait for one piece at most. */
const pieceRows = 500;

const sealedColumns = declaredTables.flatMap(declaredColumns).filter(({ sealedBy }) => sealedBy !== undefined);
const ownColumns = sealedColumns.filter(({ sealedBy }) => sealedBy === 'key ring');

export function createSealing(db: Database, keys: KeyRing): Sealing {
  return {
    async reseal(limit) {
      let sealed = 0;
      for (const column of keys.prefix === undefined ? [] : ownColumns) {
        while (sealed < limit) {
          const some = await resealSome(db, keys, column, Math.min(pieceRows, limit - sealed));
          sealed += some;
          if (some === 0) break;
          await nextTurn();
        }
      }
      return sealed;
    },
    unreadable: () => countUnreadable(db, keys),
    dropUnreadable: (sentBefore, entry) => dropUnreadable(db, keys, sentBefore, entry),
  };
}

/** Every row is written only if it is still as it was read, because a run may write it meanwhile. */
function resealSome(
  db: Database,
  keys: KeyRing,
  { table, name, sealedIn }: DeclaredColumn,
  limit: number,
): Promise<number> {
  const key: readonly string[] = keyOf(table);
  const column = sql.ref(name);
  const isMeant = sealedIn === undefined ? sql`1 = 1` : sql`${sql.ref(key[0] ?? '')} = ${sealedIn}`;
  return inTransaction(db, async (transaction) => {
    const { rows } = await sql<Readonly<Record<string, unknown>>>`
      select ${sql.join([...key, name].map((one) => sql.ref(one)))} from ${sql.table(table)}
      where ${column} not like ${`${keys.prefix}%`} and ${isMeant} limit ${limit}`.execute(transaction);
    for (const row of rows) {
      const place = placeOf(table, name as never, row);
      const value = keys.close(keys.open(String(row[name]), place), place);
      const isSame = isSameRow([...key, name], row);
      await sql`update ${sql.table(table)} set ${column} = ${value} where ${isSame}`.execute(transaction);
    }
    return rows.length;
  });
}

/** Sealed texts are `v1.<key id>.…`. */
const keyIdOf = (column: string) => sql<string>`substr(${sql.ref(column)}, 4, 8)`;
const isSealed = (column: string) => sql<boolean>`coalesce(${sql.ref(column)}, '') like 'v1.%'`;
const isSealedWith = (column: string, keyIds: readonly string[]) =>
  sql<boolean>`${isSealed(column)} and ${keyIdOf(column)} in (${sql.join(keyIds)})`;

type Counts = { -readonly [Part in keyof UnreadableValues]: UnreadableValues[Part] };

/** Counts what no configured key opens, by key id, in order of key id. A row with several sealed columns counts once. */
async function countUnreadable(db: Database, keys: KeyRing): Promise<readonly UnreadableValues[]> {
  const found = new Map<string, Counts>();
  for (const [at, { table, name }] of sealedColumns.entries()) {
    const { countedAs } = tables[table];
    if (countedAs === undefined) continue;
    const earlier = sealedColumns.slice(0, at).filter((column) => column.table === table);
    const isFirst = earlier.map((column) => sql`and not ${isSealed(column.name)}`);
    // People who were forgotten are lost with the one key of their hashes.
    const count = table === 'store_keys' ? sql`(select count(*) from forgotten)` : sql`count(*)`;
    const { rows } = await sql<{ key_id: string; count: number }>`
      select ${keyIdOf(name)} as key_id, ${count} as count from ${sql.table(table)}
      where ${isSealed(name)} ${sql.join(isFirst, sql` `)} group by ${keyIdOf(name)}`.execute(db);
    for (const { key_id: keyId, count: some } of rows.filter((row) => !keys.keyIds.includes(row.key_id))) {
      const none = { keyId, ledger: 0, changes: 0, rawTexts: 0, directories: 0, tokens: 0, forgotten: 0 };
      const counts = found.get(keyId) ?? none;
      counts[countedAs] += some;
      found.set(keyId, counts);
    }
  }
  return [...found.values()].sort((a, b) => (a.keyId < b.keyId ? -1 : 1));
}

/** Throws `STORE_INVALID` when no configured key opens a value: the store that takes it over would have lost it. */
export async function requireReadable(db: Database, seals: readonly Seal[]): Promise<void> {
  const [lost] = await countUnreadable(db, openKeyRing(seals));
  if (lost === undefined) return;
  const ifLost = 'run "rollcall admin keys drop-unreadable" with a new encryptionKey on the former store first';
  throw lostKey(lost.keyId, seals.length > 0, ifLost);
}

/** See `Sealing.dropUnreadable`. */
async function dropUnreadable(db: Database, keys: KeyRing, sentBefore: number, entry: AuditEntry): Promise<void> {
  await inTransaction(db, async (transaction) => {
    const keyIds = (await countUnreadable(transaction, keys)).map(({ keyId }) => keyId);
    if (keyIds.length > 0) {
      await requireOver(transaction, keyIds, sentBefore);
      await dropChanges(transaction, keyIds);
      await dropPersonKey(transaction, keyIds);
      for (const { table, name, lost } of ownColumns) {
        const isLost = isSealedWith(name, keyIds);
        if (lost === 'null') {
          await sql`update ${sql.table(table)} set ${sql.ref(name)} = null where ${isLost}`.execute(transaction);
        }
        if (lost === 'row') await sql`delete from ${sql.table(table)} where ${isLost}`.execute(transaction);
      }
    }
    await recordKey(transaction, keys);
    await appendAudit(transaction, entry);
  });
}

/** Throws `CONFLICT` while a run may still send such a change, or the platform may still be processing it. */
async function requireOver(db: OpenTransaction, keyIds: readonly string[], sentBefore: number): Promise<void> {
  const running = await db
    .selectFrom('changes')
    .innerJoin('plans', 'plans.id', 'changes.plan')
    .innerJoin('runs', 'runs.id', 'plans.run')
    .select('runs.id')
    .where('runs.ended_at', 'is', null)
    .where(isSealedWith('changes.personal', keyIds))
    .limit(1)
    .executeTakeFirst();
  if (running !== undefined) {
    const message = `run ${running.id} has not ended, and it has changes that cannot be opened. Nothing was dropped. Run "rollcall cancel ${running.id}", and try again when it has ended.`;
    throw conflict(message);
  }
  const fresh = await db
    .selectFrom('changes')
    .innerJoin('batches', 'batches.id', 'changes.batch')
    .select('batches.run')
    .where('changes.mark', 'in', ['sent', 'unresolved'])
    .where((eb) => eb.or([eb('batches.sent_at', '>', sentBefore), eb('batches.final_at', '>', sentBefore)]))
    .where(isSealedWith('changes.personal', keyIds))
    .limit(1)
    .executeTakeFirst();
  if (fresh === undefined) return;
  const message = `the platform may still be processing changes of run ${fresh.run} (settle.unknownAfter). Nothing was dropped. Try again when that time has passed.`;
  throw conflict(message);
}

/** Leaves changes as numbers. They can no longer be approved, delivered or read back. */
async function dropChanges(db: OpenTransaction, keyIds: readonly string[]): Promise<void> {
  const isLost = isSealedWith('personal', keyIds);
  const waiting = await db
    .selectFrom('changes')
    .select('batch')
    .distinct()
    .where('mark', 'in', ['sent', 'unresolved'])
    .where('batch', 'is not', null)
    .where(isLost)
    .execute();
  const reason = 'its values were dropped, because the key that sealed them is lost';
  const states = [
    { before: ['planned', 'held'], after: 'dropped' },
    { before: ['sent', 'unresolved'], after: 'failed' },
  ] as const;
  for (const { before, after } of states) {
    await db.updateTable('changes').set({ mark: after }).where('mark', 'in', before).where(isLost).execute();
  }
  await db
    .updateTable('changes')
    .set({ ...emptyChange, hash: 'unreadable', mark_reason: reason })
    .where(isLost)
    .execute();
  for (const { batch } of waiting) {
    if (batch === null) continue;
    await db
      .updateTable('batches')
      .set({ state: 'settled', reason: 'its changes cannot be read back, because the key that sealed them is lost' })
      .where((eb) => eb.and({ id: batch, state: 'unresolved' }))
      .execute();
  }
}

/** Without the key of their hashes, nothing that is kept of forgotten people can be found again. */
async function dropPersonKey(db: OpenTransaction, keyIds: readonly string[]): Promise<void> {
  const lost = await db
    .deleteFrom('store_keys')
    .where('name', '=', personKeyName)
    .where(isSealedWith('value', keyIds))
    .executeTakeFirst();
  if (lost.numDeletedRows > 0n) await db.deleteFrom('forgotten').execute();
}
