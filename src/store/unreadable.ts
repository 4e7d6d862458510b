import { sql } from 'kysely';
import { RollcallError } from '../core/run/errors.ts';
import type { UnreadableValues } from '../ports/person-records.ts';
import type { AuditEntry } from '../ports/store.ts';
import { toAuditRow } from './audit.ts';
import { emptyChange } from './change-rows.ts';
import { type Database, inTransaction, type OpenTransaction } from './database.ts';
import { personKeyName } from './forgotten.ts';
import { type KeyRing, recordKey } from './key-ring.ts';

/** Sealed texts are `v1.<key id>.…`. */
const keyIdOf = (column: string) => sql<string>`substr(${sql.ref(column)}, 4, 8)`;
const isSealed = (column: string) => sql<boolean>`${sql.ref(column)} like 'v1.%'`;
const isSealedWith = (column: string, keyIds: readonly string[]) =>
  sql<boolean>`${isSealed(column)} and ${keyIdOf(column)} in (${sql.join(keyIds)})`;

/** Where sealed texts are, and the part of the report that counts them. Both ledger columns count as one row. */
const places = [
  { table: 'ledger', column: 'hidden', part: 'ledger' },
  { table: 'ledger', column: 'quirks', part: 'ledger', unless: 'hidden' },
  { table: 'changes', column: 'after_json', part: 'changes' },
  { table: 'raw_texts', column: 'sealed', part: 'rawTexts' },
  { table: 'directory_pages', column: 'sealed', part: 'directories' },
  { table: 'tokens', column: 'refresh_sealed', part: 'tokens' },
  { table: 'tokens', column: 'access_sealed', part: 'tokens', unless: 'refresh_sealed' },
] as const satisfies readonly {
  readonly table: string;
  readonly column: string;
  readonly part: keyof UnreadableValues;
  readonly unless?: string;
}[];

type Counts = { -readonly [Part in keyof UnreadableValues]: UnreadableValues[Part] };

/** Counts what no configured key opens, by key id, in order of key id. */
export async function countUnreadable(db: Database, keys: KeyRing): Promise<readonly UnreadableValues[]> {
  const found = new Map<string, Counts>();
  const add = (keyId: string, part: Exclude<keyof Counts, 'keyId'>, count: number): void => {
    if (keys.keyIds.includes(keyId)) return;
    const counts = found.get(keyId) ?? {
      keyId,
      ledger: 0,
      changes: 0,
      rawTexts: 0,
      directories: 0,
      tokens: 0,
      forgotten: 0,
    };
    counts[part] += count;
    found.set(keyId, counts);
  };
  for (const { table, column, part, ...more } of places) {
    const rest = 'unless' in more ? sql`and (${sql.ref(more.unless)} is null or not ${isSealed(more.unless)})` : sql``;
    const { rows } = await sql<{ key_id: string; count: number | string }>`
      select ${keyIdOf(column)} as key_id, count(*) as count from ${sql.table(table)}
      where ${isSealed(column)} ${rest} group by ${keyIdOf(column)}`.execute(db);
    for (const { key_id, count } of rows) add(key_id, part, Number(count));
  }
  const hashKey = await db
    .selectFrom('store_keys')
    .select('value')
    .where('name', '=', personKeyName)
    .executeTakeFirst();
  if (hashKey?.value.startsWith('v1.') === true) {
    const { count } = await db
      .selectFrom('forgotten')
      .select((eb) => eb.fn.countAll().as('count'))
      .executeTakeFirstOrThrow();
    add(hashKey.value.slice(3, 11), 'forgotten', Number(count));
  }
  return [...found.values()].sort((a, b) => (a.keyId < b.keyId ? -1 : 1));
}

/** See `Sealing.dropUnreadable`. */
export async function dropUnreadable(
  db: Database,
  keys: KeyRing,
  sentBefore: number,
  entry: AuditEntry,
): Promise<void> {
  await inTransaction(db, async (transaction) => {
    const keyIds = (await countUnreadable(transaction, keys)).map(({ keyId }) => keyId);
    if (keyIds.length > 0) {
      await requireOver(transaction, keyIds, sentBefore);
      for (const column of ['hidden', 'quirks'] as const) {
        await transaction
          .updateTable('ledger')
          .set({ [column]: null })
          .where(isSealedWith(column, keyIds))
          .execute();
      }
      await dropChanges(transaction, keyIds);
      // The next complete read writes the directory again.
      await transaction.deleteFrom('directory_pages').where(isSealedWith('sealed', keyIds)).execute();
      await transaction.deleteFrom('raw_texts').where(isSealedWith('sealed', keyIds)).execute();
      const lostHash = await transaction
        .deleteFrom('store_keys')
        .where('name', '=', personKeyName)
        .where(isSealedWith('value', keyIds))
        .executeTakeFirst();
      // Without its key, no hash can be compared with an identification again.
      if (lostHash.numDeletedRows > 0n) await transaction.deleteFrom('forgotten').execute();
    }
    await recordKey(transaction, keys);
    await transaction.insertInto('audit').values(toAuditRow(entry)).execute();
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
    .where(isSealedWith('changes.after_json', keyIds))
    .limit(1)
    .executeTakeFirst();
  if (running !== undefined) {
    const message = `run ${running.id} has not ended, and it has changes that cannot be opened. Nothing was dropped. Run "rollcall cancel ${running.id}", and try again when it has ended.`;
    throw new RollcallError(message, { code: 'CONFLICT' });
  }
  const fresh = await db
    .selectFrom('changes')
    .innerJoin('batches', 'batches.id', 'changes.batch')
    .select('batches.run')
    .where('changes.state', 'in', ['sent', 'unresolved'])
    .where((eb) => eb.or([eb('batches.sent_at', '>', sentBefore), eb('batches.final_at', '>', sentBefore)]))
    .where(isSealedWith('changes.after_json', keyIds))
    .limit(1)
    .executeTakeFirst();
  if (fresh === undefined) return;
  const message = `the platform may still be processing changes of run ${fresh.run} (settle.unknownAfter). Nothing was dropped. Try again when that time has passed.`;
  throw new RollcallError(message, { code: 'CONFLICT' });
}

/** Leaves changes as numbers. They can no longer be approved, delivered or read back. */
async function dropChanges(db: OpenTransaction, keyIds: readonly string[]): Promise<void> {
  const waiting = await db
    .selectFrom('changes')
    .select('batch')
    .distinct()
    .where('state', 'in', ['sent', 'unresolved'])
    .where('batch', 'is not', null)
    .where(isSealedWith('after_json', keyIds))
    .execute();
  const reason = 'its values were dropped, because the key that sealed them is lost';
  const isLost = isSealedWith('after_json', keyIds);
  const states = [
    { before: ['planned', 'held'], after: 'dropped' },
    { before: ['sent', 'unresolved'], after: 'failed' },
  ] as const;
  for (const { before, after } of states) {
    await db.updateTable('changes').set({ state: after }).where('state', 'in', before).where(isLost).execute();
  }
  await db
    .updateTable('changes')
    .set({ ...emptyChange, hash: 'unreadable', state_reason: reason })
    .where(isLost)
    .execute();
  for (const { batch } of waiting) {
    if (batch === null) continue;
    await db
      .updateTable('batches')
      .set({ state: 'settled', reason: 'its changes cannot be read back, because the key that sealed them is lost' })
      .where('id', '=', batch)
      .where('state', '=', 'unresolved')
      .execute();
  }
}
