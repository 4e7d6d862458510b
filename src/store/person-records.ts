import { randomUUID } from 'node:crypto';
import { RollcallError } from '../core/run/errors.ts';
import type { PersonRecords } from '../ports/person-records.ts';
import { emptyChange } from './change-rows.ts';
import { type Database, inTransaction, type OpenTransaction } from './database.ts';
import { eraseFromDirectories } from './directories.ts';
import { eraseMentions } from './erase-mentions.ts';
import { hideLedgerRow, makePersonHash } from './forgotten.ts';
import type { KeyRing } from './key-ring.ts';
import { readPersonRecord } from './read-person.ts';

export function createPersonRecords(db: Database, keys: KeyRing): PersonRecords {
  return {
    read: (identification) => readPersonRecord(db, keys, identification),

    forget(identification, now) {
      return inTransaction(db, async (transaction) => {
        await requireQuiet(transaction, identification);
        const hash = await makePersonHash(transaction, keys);
        const rows = await transaction
          .selectFrom('ledger')
          .selectAll()
          .where('identification', '=', identification)
          .execute();
        for (const row of rows) await hideLedgerRow(transaction, row, hash, now);
        await eraseChanges(transaction, identification);
        await transaction.deleteFrom('findings').where('identification', '=', identification).execute();
        await transaction.deleteFrom('decisions').where('identification', '=', identification).execute();
        await eraseFromDirectories(transaction, keys, identification);
        await eraseMentions(transaction, keys, identification);
        return { kept: rows.map(({ connection }) => connection) };
      });
    },

    forgetGone(before, now, limit) {
      return inTransaction(db, async (transaction) => {
        const rows = await transaction
          .selectFrom('ledger')
          .selectAll()
          .where((eb) =>
            eb.or([
              eb('removed_at', '<', before),
              eb.and([eb('disabled_at', '<', before), eb('gone_since', '<', before)]),
            ]),
          )
          .limit(limit)
          .execute();
        if (rows.length === 0) return 0;
        const hash = await makePersonHash(transaction, keys);
        for (const row of rows) await hideLedgerRow(transaction, row, hash, now);
        return rows.length;
      });
    },
  };
}

/** Throws `CONFLICT` while a change of the person may still be sent or read back. */
async function requireQuiet(db: OpenTransaction, identification: string): Promise<void> {
  const busy = await db
    .selectFrom('changes')
    .innerJoin('plans', 'plans.id', 'changes.plan')
    .innerJoin('runs', 'runs.id', 'plans.run')
    .select('runs.id')
    .where('changes.identification', '=', identification)
    .where((eb) => eb.or([eb('runs.ended_at', 'is', null), eb('changes.state', 'in', ['sent', 'unresolved'])]))
    .limit(1)
    .executeTakeFirst();
  if (busy === undefined) return;
  const message =
    `run ${busy.id} may still change this person, so nothing was erased. Wait until it has ended and its changes are ` +
    'resolved, then run the command again.';
  throw new RollcallError(message, { code: 'CONFLICT' });
}

/** Leaves changes of ended runs as numbers, so that counts and guards of the last 24 hours stay right. */
async function eraseChanges(db: OpenTransaction, identification: string): Promise<void> {
  const rows = await db.selectFrom('changes').select(['plan']).where('identification', '=', identification).execute();
  for (const { plan } of rows) {
    await db
      .updateTable('changes')
      .set({ ...emptyChange, identification: `forgotten:${randomUUID()}` })
      .where('plan', '=', plan)
      .where('identification', '=', identification)
      .execute();
  }
  await db.updateTable('changes').set({ waits_for: null }).where('waits_for', '=', identification).execute();
}
