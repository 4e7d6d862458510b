import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Sealing } from '../ports/person-records.ts';
import { changeContext, personalColumns, readPersonal } from './change-rows.ts';
import { type Database, inTransaction } from './database.ts';
import { resealDirectories } from './directories.ts';
import { resealPersonKey } from './forgotten.ts';
import type { KeyRing } from './key-ring.ts';
import { ledgerContext } from './ledger-rows.ts';
import { rawContext } from './raw-texts.ts';
import { countUnreadable, dropUnreadable } from './unreadable.ts';

/** Rows per transaction. Other writers wait for one piece at most. */
const pieceRows = 500;

export function createSealing(db: Database, keys: KeyRing): Sealing {
  return {
    async reseal(limit) {
      if (keys.prefix === undefined) return 0;
      let sealed = await resealPersonKey(db, keys);
      for (const resealSome of [resealLedger, resealChanges, resealRawTexts, resealDirectories]) {
        while (sealed < limit) {
          const some = await resealSome(db, keys, Math.min(pieceRows, limit - sealed));
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
function resealLedger(db: Database, keys: KeyRing, limit: number): Promise<number> {
  const current = `${keys.prefix}%`;
  return inTransaction(db, async (transaction) => {
    const rows = await transaction
      .selectFrom('ledger')
      .select(['connection', 'identification', 'hidden', 'quirks'])
      .where((eb) => eb.or([eb('hidden', 'not like', current), eb('quirks', 'not like', current)]))
      .limit(limit)
      .execute();
    for (const { connection, identification, hidden, quirks } of rows) {
      const again = (column: 'hidden' | 'quirks', text: string | null): string | null => {
        const context = ledgerContext(connection, identification, column);
        return text === null ? null : keys.close(keys.open(text, context), context);
      };
      await transaction
        .updateTable('ledger')
        .set({ hidden: again('hidden', hidden), quirks: again('quirks', quirks) })
        .where('connection', '=', connection)
        .where('identification', '=', identification)
        .where('hidden', 'is not distinct from', hidden)
        .where('quirks', 'is not distinct from', quirks)
        .execute();
    }
    return rows.length;
  });
}

function resealChanges(db: Database, keys: KeyRing, limit: number): Promise<number> {
  return inTransaction(db, async (transaction) => {
    const rows = await transaction
      .selectFrom('changes')
      .select(['plan', 'identification', 'before_json', 'after_json', 'reason', 'park_email'])
      .where('after_json', 'not like', `${keys.prefix}%`)
      .limit(limit)
      .execute();
    for (const row of rows) {
      const { plan, identification } = row;
      await transaction
        .updateTable('changes')
        .set(personalColumns(readPersonal(row, keys), keys, changeContext(plan, identification)))
        .where('plan', '=', plan)
        .where('identification', '=', identification)
        .where('after_json', '=', row.after_json)
        .execute();
    }
    return rows.length;
  });
}

function resealRawTexts(db: Database, keys: KeyRing, limit: number): Promise<number> {
  return inTransaction(db, async (transaction) => {
    const rows = await transaction
      .selectFrom('raw_texts')
      .selectAll()
      .where('sealed', 'not like', `${keys.prefix}%`)
      .limit(limit)
      .execute();
    for (const { run, number, sealed } of rows) {
      const context = rawContext(run, number);
      await transaction
        .updateTable('raw_texts')
        .set({ sealed: keys.close(keys.open(sealed, context), context) })
        .where('run', '=', run)
        .where('number', '=', number)
        .execute();
    }
    return rows.length;
  });
}
