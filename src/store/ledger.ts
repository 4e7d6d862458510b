import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LedgerEntry } from '../core/plan/ledger.ts';
import { seenInSource, withAccount } from '../core/plan/ledger-steps.ts';
import type { Adoption, Ledger } from '../ports/store.ts';
import { toAuditRow } from './audit.ts';
import { asOwner, type Database, inTransaction, type OpenTransaction } from './database.ts';
import { findForgotten } from './forgotten.ts';
import type { KeyRing } from './key-ring.ts';
import { createLedgerWriter, toLedgerEntry, toLedgerRows } from './ledger-rows.ts';
import { inLists } from './row-writer.ts';
import type { LedgerRow } from './schema.ts';

/** Rows per piece of `all`: large enough that the query cost disappears, small enough for a few hundred kilobytes. */
const pieceRows = 4096;

export function createLedger(db: Database, keys: KeyRing): Ledger {
  const writer = createLedgerWriter();

  return {
    // Pages by key, not by cursor: nothing stays open between two pieces, however slow the reader is.
    async *all(connection) {
      let after = '';
      for (;;) {
        const rows: LedgerRow[] = await db
          .selectFrom('ledger')
          .selectAll()
          .where('connection', '=', connection)
          .where('identification', '>', after)
          .orderBy('identification')
          .limit(pieceRows)
          .execute();
        const last = rows.at(-1);
        if (last === undefined) return;
        yield rows.map((row) => toLedgerEntry(row, keys));
        if (rows.length < pieceRows) return;
        after = last.identification;
        // The driver is synchronous, so without this nothing else of this process would run before the last piece.
        await nextTurn();
      }
    },

    async get(connection, identification) {
      const row = await db
        .selectFrom('ledger')
        .selectAll()
        .where('connection', '=', connection)
        .where('identification', '=', identification)
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

    async countOwned(connection, sync) {
      const row = await db
        .selectFrom('ledger')
        .select((eb) => [
          eb.fn.countAll().as('managed'),
          eb.fn.countAll().filterWhere('disabled_at', 'is', null).as('enabled'),
        ])
        .where('connection', '=', connection)
        .where('owner', '=', sync)
        .where('removed_at', 'is', null)
        .executeTakeFirstOrThrow();
      return { managed: Number(row.managed), enabled: Number(row.enabled) };
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
        await transaction.insertInto('audit').values(toAuditRow(entry)).execute();
        return moved;
      });
    },

    rename({ connection, sync, accountId, from, to }) {
      return inTransaction(db, async (transaction) => {
        const row = await transaction
          .deleteFrom('ledger')
          .where('connection', '=', connection)
          .where('identification', '=', from)
          .where('owner', '=', sync)
          .where('removed_at', 'is', null)
          .where((eb) => eb.or([eb('account_id', 'is', null), eb('account_id', '=', accountId)]))
          .returningAll()
          .executeTakeFirst();
        if (row === undefined) return;
        // The sealed columns are bound to the identification.
        const entry = withAccount(seenInSource(toLedgerEntry(row, keys), false), accountId);
        await writer.write(transaction, toLedgerRows(connection, [{ ...entry, identification: to }], keys));
      });
    },
  };
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
        .where('connection', '=', connection)
        .where('owner', '=', owner)
        .where('removed_at', 'is', null)
        .where('identification', 'in', names)
        .returning('identification')
        .execute();
      for (const { identification } of rows) moved.add(identification);
    }
  }
  return moved;
}
