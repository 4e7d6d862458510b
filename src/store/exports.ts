import { RollcallError } from '../core/run/errors.ts';
import type { ExportState } from '../core/run/exports.ts';
import { given } from '../core/run/given.ts';
import type { Exports } from '../ports/store-operations.ts';
import { type Database, inTransaction } from './db/database.ts';
import { fields } from './db/fields.ts';
import { addNew, inLists, RowWriter, replace } from './db/row-writer.ts';

const states = fields<ExportState, 'exports'>('exports', {}, { file: 'json' });

export function createExports(db: Database): Exports {
  type Row = { readonly export: string; readonly key: string; readonly at: number };
  const items = new RowWriter<'exported_items', Row>('exported_items', replace);
  const next = (on: Database, name: string) =>
    on
      .updateTable('exports')
      .set((eb) => ({ attempt: eb('attempt', '+', 1) }))
      .where('name', '=', name);
  return {
    async list() {
      const rows = await db.selectFrom('exports').selectAll().orderBy('name').execute();
      return rows.map(states.fromRow);
    },

    request: ({ name, at, slotAt, readFrom }) =>
      inTransaction(db, async (transaction) => {
        await addNew(transaction, 'exports', { name });
        await transaction
          .updateTable('exports')
          .set((eb) => ({
            requested_at: eb.fn.coalesce('requested_at', eb.val(at)),
            retry_at: null,
            ...given({ slot_at: slotAt }),
          }))
          .where('name', '=', name)
          .execute();
        if (readFrom === undefined) return;
        // A pass in progress has read what was written.
        await next(transaction, name).set({ file: null }).execute();
        await transaction
          .updateTable('exports')
          .set({ read_until: readFrom })
          .where('name', '=', name)
          .where('read_until', '>', readFrom)
          .execute();
        await transaction.deleteFrom('exported_items').where('export', '=', name).where('at', '>=', readFrom).execute();
      }),

    begin: (name) =>
      inTransaction(db, async (transaction) => {
        await addNew(transaction, 'exports', { name });
        return states.fromRow(await next(transaction, name).returningAll().executeTakeFirstOrThrow());
      }),

    async written(name, keys) {
      const found = new Set<string>();
      for (const some of inLists(keys)) {
        const rows = await db
          .selectFrom('exported_items')
          .select('key')
          .where('export', '=', name)
          .where('key', 'in', some)
          .execute();
        for (const { key } of rows) found.add(key);
      }
      return found;
    },

    save: ({ name, attempt, requestedAt }, patch, written = []) =>
      inTransaction(db, async (transaction) => {
        const { numUpdatedRows } = await transaction
          .updateTable('exports')
          .set(states.toPatch(patch))
          .where('name', '=', name)
          .where('attempt', '=', attempt)
          .executeTakeFirst();
        if (numUpdatedRows === 0n) {
          const message = `another process continues the export ${name}. Nothing was stored`;
          throw new RollcallError(message, { code: 'LEASE_LOST' });
        }
        await items.write(
          transaction,
          written.map(({ key, at }) => ({ export: name, key, at })),
        );
        if (patch.successAt === undefined) return;
        await transaction
          .updateTable('exports')
          .set({ requested_at: null })
          .where('name', '=', name)
          .where('requested_at', '=', requestedAt ?? null)
          .execute();
      }),
  };
}
