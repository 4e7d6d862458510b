import { RollcallError } from '../core/run/errors.ts';
import type { MailedReports, ReportState } from '../ports/store-operations.ts';
import { type Database, inTransaction } from './db/database.ts';
import { fields } from './db/fields.ts';
import { addNew } from './db/row-writer.ts';

const states = fields<ReportState, 'mailed_reports'>('mailed_reports', {}, {});

export function createMailedReports(db: Database): MailedReports {
  return {
    async list() {
      const rows = await db.selectFrom('mailed_reports').selectAll().orderBy('name').execute();
      return rows.map(states.fromRow);
    },

    request: ({ name, at, slotAt }) =>
      inTransaction(db, async (transaction) => {
        await addNew(transaction, 'mailed_reports', { name });
        await transaction
          .updateTable('mailed_reports')
          .set((eb) => ({
            requested_at: eb.fn.coalesce('requested_at', eb.val(at)),
            retry_at: null,
            slot_at: slotAt,
          }))
          .where('name', '=', name)
          .execute();
      }),

    begin: (name) =>
      inTransaction(db, async (transaction) => {
        await addNew(transaction, 'mailed_reports', { name });
        const begun = await transaction
          .updateTable('mailed_reports')
          .set((eb) => ({ attempt: eb('attempt', '+', 1) }))
          .where('name', '=', name)
          .returningAll()
          .executeTakeFirstOrThrow();
        return states.fromRow(begun);
      }),

    save: ({ name, attempt, requestedAt }, patch) =>
      inTransaction(db, async (transaction) => {
        const { numUpdatedRows } = await transaction
          .updateTable('mailed_reports')
          .set(states.toPatch(patch))
          .where((eb) => eb.and({ name, attempt }))
          .executeTakeFirst();
        if (numUpdatedRows === 0n) {
          const message = `another process sends the report ${name}. Nothing was stored`;
          throw new RollcallError(message, { code: 'LEASE_LOST' });
        }
        if (patch.successAt === undefined) return;
        await transaction
          .updateTable('mailed_reports')
          .set({ requested_at: null })
          .where('name', '=', name)
          .where('requested_at', '=', requestedAt ?? null)
          .execute();
      }),
  };
}
