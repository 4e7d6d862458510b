import { createHmac, randomBytes } from 'node:crypto';
import type { LedgerEntry } from '../core/plan/ledger.ts';
import type { Database } from './database.ts';
import type { KeyRing } from './key-ring.ts';
import type { ForgottenRow } from './privacy-schema.ts';
import { inLists } from './row-writer.ts';
import type { LedgerRow } from './schema.ts';

/** Name of the key of the hashes, among the keys of the store. */
export const personKeyName = 'forgotten';
const keyContext = JSON.stringify(['store_keys', personKeyName]);

/** Hashes an identification with the key of this store. Equal for the same person, and irreversible without the key. */
export type PersonHash = (connection: string, identification: string) => string;

/** Returns the keyed hash of this store; undefined when no person was ever forgotten. */
export async function findPersonHash(db: Database, keys: KeyRing): Promise<PersonHash | undefined> {
  const row = await db.selectFrom('store_keys').select('value').where('name', '=', personKeyName).executeTakeFirst();
  if (row === undefined) return undefined;
  const key = Buffer.from(keys.open(row.value, keyContext), 'hex');
  return (connection, identification) =>
    createHmac('sha256', key)
      .update(JSON.stringify([connection, identification]))
      .digest('hex');
}

/** Returns the keyed hash, and makes its key when there is none. Call it within the transaction that uses it. */
export async function makePersonHash(db: Database, keys: KeyRing): Promise<PersonHash> {
  const value = keys.close(randomBytes(32).toString('hex'), keyContext);
  await db
    .insertInto('store_keys')
    .values({ name: personKeyName, value })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  const hash = await findPersonHash(db, keys);
  if (hash === undefined) throw new RangeError('the key of forgotten people was not stored');
  return hash;
}

/** Seals the key of the hash again when it is not sealed with the current key. Returns how many rows changed: 0 or 1. */
export async function resealPersonKey(db: Database, keys: KeyRing): Promise<number> {
  const row = await db.selectFrom('store_keys').selectAll().where('name', '=', personKeyName).executeTakeFirst();
  if (row === undefined || keys.prefix === undefined || row.value.startsWith(keys.prefix)) return 0;
  const value = keys.close(keys.open(row.value, keyContext), keyContext);
  await db
    .updateTable('store_keys')
    .set({ value })
    .where('name', '=', personKeyName)
    .where('value', '=', row.value)
    .execute();
  return 1;
}

/** Finds what is kept of forgotten people, as ledger entries without personal data. */
export async function findForgotten(
  db: Database,
  keys: KeyRing,
  connection: string,
  identifications: readonly string[],
): Promise<ReadonlyMap<string, LedgerEntry>> {
  const found = new Map<string, LedgerEntry>();
  const hash = identifications.length === 0 ? undefined : await findPersonHash(db, keys);
  if (hash === undefined) return found;
  const byHash = new Map(identifications.map((name) => [hash(connection, name), name]));
  for (const some of inLists([...byHash.keys()])) {
    const rows = await db
      .selectFrom('forgotten')
      .selectAll()
      .where('connection', '=', connection)
      .where('hash', 'in', some)
      .execute();
    for (const row of rows) {
      const name = byHash.get(row.hash);
      if (name !== undefined) found.set(name, toEntry(row, name));
    }
  }
  return found;
}

export function toEntry(row: ForgottenRow, identification: string): LedgerEntry {
  return {
    identification,
    owner: row.owner,
    hidden: {},
    quirks: {},
    unverified: 0,
    ...(row.disabled_at === null ? {} : { disabledAt: Number(row.disabled_at) }),
    ...(row.gone_since === null ? {} : { goneSince: Number(row.gone_since) }),
    ...(row.removed_at === null
      ? {}
      : { removed: { at: Number(row.removed_at), blacklist: row.removed_blacklist === 1 } }),
  };
}

/** Replaces a ledger row by what is kept under the hash. */
export async function hideLedgerRow(db: Database, row: LedgerRow, hash: PersonHash, now: number): Promise<void> {
  const { connection, identification, owner, disabled_at, gone_since, removed_at, removed_blacklist } = row;
  const kept: ForgottenRow = {
    connection,
    hash: hash(connection, identification),
    owner,
    disabled_at,
    gone_since,
    removed_at,
    removed_blacklist,
    forgotten_at: now,
  };
  const { connection: _connection, hash: _hash, ...update } = kept;
  await db
    .insertInto('forgotten')
    .values(kept)
    .onConflict((conflict) => conflict.columns(['connection', 'hash']).doUpdateSet(update))
    .execute();
  await db
    .deleteFrom('ledger')
    .where('connection', '=', connection)
    .where('identification', '=', identification)
    .execute();
}
