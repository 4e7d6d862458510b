import { sql } from 'kysely';
import { type Packed, pack, unpack } from '../core/person/packed.ts';
import { isSameKnown, renameLeaders, unread } from '../core/plan/leaders.ts';
import type { LedgerEntry, LedgerLeaders } from '../core/plan/ledger.ts';
import { seenInSource, withAccount } from '../core/plan/ledger-steps.ts';
import type { Adoption, Ledger } from '../ports/store.ts';
import { appendAudit } from './audit/chain.ts';
import { asOwner, type Database, inTransaction, type OpenTransaction, pagesByKey, type Schema } from './db/database.ts';
import type { KeyRing } from './db/key-ring.ts';
import { inLists, RowWriter } from './db/row-writer.ts';
import { placeOf } from './db/tables.ts';
import { findForgotten } from './privacy/forgotten.ts';
import { endStanding } from './standing.ts';

/** Rows per piece of `all`: large enough that the query cost disappears, small enough for a few hundred kilobytes. */
const pieceRows = 4096;

export function createLedger(db: Database, keys: KeyRing): Ledger {
  const writer = createLedgerWriter();

  return {
    async *all(connection) {
      const read = (after: Schema['ledger'] | undefined): Promise<Schema['ledger'][]> =>
        db
          .selectFrom('ledger')
          .selectAll()
          .where('connection', '=', connection)
          .where('identification', '>', after?.identification ?? '')
          .orderBy('identification')
          .limit(pieceRows)
          .execute();
      for await (const rows of pagesByKey(pieceRows, read)) yield rows.map((row) => toLedgerEntry(row, keys));
    },

    async get(connection, identification) {
      const row = await db
        .selectFrom('ledger')
        .selectAll()
        .where((eb) => eb.and({ connection, identification }))
        .executeTakeFirst();
      if (row !== undefined) return toLedgerEntry(row, keys);
      return (await findForgotten(db, keys, connection, [identification])).get(identification);
    },

    async getMany(connection, identifications) {
      const found = new Map<string, LedgerEntry>();
      for (const names of inLists(identifications)) {
        const rows = await db
          .selectFrom('ledger')
          .selectAll()
          .where('connection', '=', connection)
          .where('identification', 'in', names)
          .execute();
        for (const row of rows) found.set(row.identification, toLedgerEntry(row, keys));
      }
      const others = identifications.filter((name) => !found.has(name));
      for (const [name, entry] of await findForgotten(db, keys, connection, others)) found.set(name, entry);
      return found;
    },

    async waiting(connection, sync) {
      const rows = await db
        .selectFrom('ledger')
        .selectAll()
        .where((eb) => eb.and({ connection, leaders_wait: 1, owner: sync }))
        .where((eb) =>
          eb.and([eb('disabled_at', 'is', null), eb('gone_since', 'is', null), eb('removed_at', 'is', null)]),
        )
        .execute();
      return rows.map((row) => toLedgerEntry(row, keys));
    },

    async countOwned(connection, sync) {
      const row = await db
        .selectFrom('ledger')
        .select((eb) => [
          eb.fn.countAll<number>().as('managed'),
          eb.fn.countAll<number>().filterWhere('disabled_at', 'is', null).as('enabled'),
        ])
        .where((eb) => eb.and({ connection, owner: sync }))
        .where('removed_at', 'is', null)
        .executeTakeFirstOrThrow();
      return { managed: row.managed, enabled: row.enabled };
    },

    put(owned, entries) {
      return asOwner(db, owned, (transaction) =>
        writer.write(transaction, toLedgerRows(owned.run.connection, entries, keys)),
      );
    },

    takeOver(owned, users, at) {
      const { connection, sync } = owned.run;
      return asOwner(db, owned, (transaction) => moveUsers(transaction, { connection, sync, users, at }));
    },

    adopt(order, entry) {
      return inTransaction(db, async (transaction) => {
        const moved = await moveUsers(transaction, order);
        await appendAudit(transaction, entry);
        return moved;
      });
    },

    rename({ connection, sync, accountId, from, to, by, at }) {
      return inTransaction(db, async (transaction) => {
        const two = { connection, sync, identification: to, other: from };
        await endStanding(transaction, two, { ended_at: at, ended_by: by });
        // What was rejected, or left out of a decision, stays so under the new identification.
        await transaction
          .updateTable('decisions')
          .set({ identification: to })
          .where((eb) => eb.and({ sync, identification: from }))
          .where('ended_at', 'is', null)
          .where((eb) =>
            eb.or([eb('state', '=', 'rejected'), eb.and([eb('state', '=', 'open'), eb('by_whom', 'is not', null)])]),
          )
          .execute();
        const row = await transaction
          .deleteFrom('ledger')
          .where((eb) => eb.and({ connection, identification: from, owner: sync }))
          .where('removed_at', 'is', null)
          .where((eb) => eb.or([eb('account_id', 'is', null), eb('account_id', '=', accountId)]))
          .returningAll()
          .executeTakeFirst();
        if (row === undefined) return;
        // The sealed columns are bound to the identification.
        const entry = withAccount(seenInSource(toLedgerEntry(row, keys), false), accountId);
        await writer.write(transaction, toLedgerRows(connection, [{ ...entry, identification: to }], keys));
        await rewriteLeaders(transaction, { connection, keys }, (leaders) =>
          renameLeaders(leaders, (name) => (name === from ? to : name)),
        );
      });
    },
  };
}

/** Rewrites what the entries of a connection know of leaders, where `rewrite` returns something else. */
export async function rewriteLeaders(
  transaction: OpenTransaction,
  { connection, keys }: { readonly connection: string; readonly keys: KeyRing },
  rewrite: (leaders: LedgerLeaders) => LedgerLeaders,
): Promise<void> {
  const rows = await transaction
    .selectFrom('ledger')
    .selectAll()
    .where('connection', '=', connection)
    .where('leaders', 'is not', null)
    .execute();
  const changed = rows.flatMap((row) => {
    const entry = toLedgerEntry(row, keys);
    const leaders = rewrite(entry.leaders ?? unread);
    return isSameKnown(leaders, entry.leaders) ? [] : [{ ...entry, leaders }];
  });
  await createLedgerWriter().write(transaction, toLedgerRows(connection, changed, keys));
}

/** Changes the owner of users that still have the expected one. Keeps what is known of their accounts. */
async function moveUsers(
  transaction: OpenTransaction,
  { connection, sync, users, at }: Adoption,
): Promise<ReadonlySet<string>> {
  const byOwner = new Map<string, string[]>();
  for (const { identification, owner } of users) {
    byOwner.set(owner, [...(byOwner.get(owner) ?? []), identification]);
  }
  const fresh = { miss_count: null, miss_since: null, miss_stamp: null, gone_since: null, hand_over_since: null };
  const moved = new Set<string>();
  for (const [owner, identifications] of byOwner) {
    for (const names of inLists(identifications)) {
      const rows = await transaction
        .updateTable('ledger')
        .set({ owner: sync, taken_from: owner, taken_at: at, ...fresh })
        .where((eb) => eb.and({ connection, owner }))
        .where('removed_at', 'is', null)
        .where('identification', 'in', names)
        .returning('identification')
        .execute();
      for (const { identification } of rows) moved.add(identification);
    }
  }
  return moved;
}

/**
 * Writes entries. Overwrites an existing entry only where the user may become the new owner's: see `Ledger.put`. Which
 * columns decide that is in the statement, so that a take-over between a plan and its write is never lost.
 */
export function createLedgerWriter(): RowWriter<'ledger', Schema['ledger']> {
  const where = sql<boolean>`ledger.owner = excluded.owner or ledger.removed_at is not null
    or ledger.account_id <> excluded.account_id or (ledger.owner = excluded.taken_from
      and (ledger.taken_at is null or ledger.taken_at < excluded.taken_at))`;
  return new RowWriter('ledger', { where });
}

/** Returns one row per user. The last entry wins, and no statement may write the same row twice. */
export function toLedgerRows(connection: string, entries: readonly LedgerEntry[], keys: KeyRing): Schema['ledger'][] {
  const byName = new Map(entries.map((entry) => [entry.identification, entry]));
  return [...byName.values()].map((entry) => toRow(connection, entry, keys));
}

function toRow(connection: string, entry: LedgerEntry, keys: KeyRing): Schema['ledger'] {
  const { identification } = entry;
  const close = (column: 'hidden' | 'quirks' | 'leaders'): string | null => {
    const values = entry[column] ?? {};
    if (Object.keys(values).length === 0) return null;
    const text = JSON.stringify(column === 'hidden' ? pack(entry.hidden) : values);
    return keys.close(text, placeOf('ledger', column, { connection, identification }));
  };
  return {
    connection,
    identification,
    owner: entry.owner,
    account_id: entry.accountId ?? null,
    hidden: close('hidden'),
    quirks: close('quirks'),
    leaders: close('leaders'),
    leaders_wait: entry.leaders?.waits === undefined ? 0 : 1,
    unverified: entry.unverified,
    disabled_at: entry.disabledAt ?? null,
    gone_since: entry.goneSince ?? null,
    miss_count: entry.misses?.count ?? null,
    miss_since: entry.misses?.since ?? null,
    miss_stamp: entry.misses?.stamp ?? null,
    hand_over_since: entry.handOverSince ?? null,
    taken_from: entry.taken?.from ?? null,
    taken_at: entry.taken?.at ?? null,
    removed_at: entry.removed?.at ?? null,
    removed_blacklist: entry.removed === undefined ? null : Number(entry.removed.blacklist),
    written_at: entry.writtenAt ?? null,
  };
}

/** Throws `STORE_INVALID` when no configured key opens a sealed column. */
export function toLedgerEntry(row: Schema['ledger'], keys: KeyRing): LedgerEntry {
  const open = (column: 'hidden' | 'quirks' | 'leaders', text: string): string =>
    keys.open(text, placeOf('ledger', column, { ...row }));
  const entry: { -readonly [K in keyof LedgerEntry]: LedgerEntry[K] } = {
    identification: row.identification,
    owner: row.owner,
    hidden: row.hidden === null ? {} : unpack(JSON.parse(open('hidden', row.hidden)) as Packed),
    quirks: row.quirks === null ? {} : (JSON.parse(open('quirks', row.quirks)) as LedgerEntry['quirks']),
    unverified: row.unverified,
  };
  if (row.account_id !== null) entry.accountId = row.account_id;
  if (row.disabled_at !== null) entry.disabledAt = row.disabled_at;
  if (row.gone_since !== null) entry.goneSince = row.gone_since;
  if (row.miss_count !== null && row.miss_since !== null && row.miss_stamp !== null) {
    entry.misses = { count: row.miss_count, since: row.miss_since, stamp: row.miss_stamp };
  }
  if (row.hand_over_since !== null) entry.handOverSince = row.hand_over_since;
  if (row.taken_from !== null && row.taken_at !== null) entry.taken = { from: row.taken_from, at: row.taken_at };
  if (row.removed_at !== null) {
    entry.removed = { at: row.removed_at, blacklist: row.removed_blacklist === 1 };
  }
  if (row.leaders !== null) entry.leaders = JSON.parse(open('leaders', row.leaders)) as LedgerLeaders;
  if (row.written_at !== null) entry.writtenAt = row.written_at;
  return entry;
}
