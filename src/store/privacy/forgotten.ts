import { createHmac, randomBytes } from 'node:crypto';
import { pseudonymPrefix } from '../../core/plan/leaders.ts';
import type { LedgerEntry } from '../../core/plan/ledger.ts';
import type { Database, Schema } from '../db/database.ts';
import type { KeyRing } from '../db/key-ring.ts';
import { addNew, inLists, put } from '../db/row-writer.ts';
import { personKeyName, placeOf } from '../db/tables.ts';

const keyPlace = placeOf('store_keys', 'value', { name: personKeyName });

/** Hashes an identification with the key of this store. Equal for the same person, and irreversible without the key. */
export type PersonHash = (connection: string, identification: string) => string;

/** Returns the keyed hash of this store; undefined when no person was ever forgotten. */
export async function findPersonHash(db: Database, keys: KeyRing): Promise<PersonHash | undefined> {
  const row = await db.selectFrom('store_keys').select('value').where('name', '=', personKeyName).executeTakeFirst();
  if (row === undefined) return undefined;
  const key = Buffer.from(keys.open(row.value, keyPlace), 'hex');
  return (connection, identification) =>
    createHmac('sha256', key)
      .update(JSON.stringify([connection, identification]))
      .digest('hex');
}

/** Returns the keyed hash, and makes its key when there is none. Call it within the transaction that uses it. */
export async function makePersonHash(db: Database, keys: KeyRing): Promise<PersonHash> {
  const value = keys.close(randomBytes(32).toString('hex'), keyPlace);
  await addNew(db, 'store_keys', { name: personKeyName, value });
  const hash = await findPersonHash(db, keys);
  if (hash === undefined) throw new RangeError('the key of forgotten people was not stored');
  return hash;
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

/** Returns how the entries of the people whom a forgotten person led name the person. */
export function pseudonymOf(hash: string): string {
  return `${pseudonymPrefix}${hash}`;
}

export function toEntry(row: Schema['forgotten'], identification: string): LedgerEntry {
  return {
    identification,
    owner: row.owner,
    hidden: {},
    quirks: {},
    unverified: 0,
    pseudonym: pseudonymOf(row.hash),
    ...(row.disabled_at === null ? {} : { disabledAt: row.disabled_at }),
    ...(row.gone_since === null ? {} : { goneSince: row.gone_since }),
    ...(row.removed_at === null ? {} : { removed: { at: row.removed_at, blacklist: row.removed_blacklist === 1 } }),
  };
}

/** Replaces a ledger row by what is kept under the hash. */
export async function hideLedgerRow(db: Database, row: Schema['ledger'], hash: PersonHash, now: number): Promise<void> {
  const { connection, identification, owner, disabled_at, gone_since, removed_at, removed_blacklist } = row;
  const kept: Schema['forgotten'] = {
    connection,
    hash: hash(connection, identification),
    owner,
    disabled_at,
    gone_since,
    removed_at,
    removed_blacklist,
    forgotten_at: now,
  };
  await put(db, 'forgotten', kept);
  await db
    .deleteFrom('ledger')
    .where((eb) => eb.and({ connection, identification }))
    .execute();
}
