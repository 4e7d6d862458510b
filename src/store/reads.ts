import type { StoredBlocked } from '../core/guard/blocked.ts';
import type { FieldVisibility } from '../core/guard/field-visibility.ts';
import type { ReadRecord, Reads, Watermark } from '../ports/store.ts';
import { asOwner, type Database, type OpenTransaction } from './database.ts';

export function createReads(db: Database): Reads {
  return {
    async last(sync) {
      const row = await db
        .selectFrom('reads')
        .selectAll()
        .where('sync', '=', sync)
        .where('is_accepted', '=', 1)
        .orderBy('read_at', 'desc')
        .orderBy('run', 'desc')
        .limit(1)
        .executeTakeFirst();
      return (
        row && {
          sync: row.sync,
          run: row.run,
          at: Number(row.read_at),
          rows: Number(row.row_count),
          stamp: row.stamp,
          isAccepted: row.is_accepted === 1,
          fillRates: JSON.parse(row.fill_rates) as ReadRecord['fillRates'],
          ...(row.blocked === null ? {} : { blocked: JSON.parse(row.blocked) as StoredBlocked }),
          ...(row.sight === null ? {} : { visibility: JSON.parse(row.sight) as FieldVisibility }),
        }
      );
    },

    async recent(sync, count) {
      const rows = await db
        .selectFrom('reads')
        .select('read_at')
        .where('sync', '=', sync)
        .where('is_accepted', '=', 1)
        .orderBy('read_at', 'desc')
        .limit(count)
        .execute();
      return rows.map(({ read_at: at }) => Number(at));
    },

    put(owned, read) {
      return asOwner(db, owned, async (transaction) => {
        const row = {
          sync: read.sync,
          read_at: read.at,
          row_count: read.rows,
          stamp: read.stamp,
          is_accepted: Number(read.isAccepted),
          fill_rates: JSON.stringify(read.fillRates),
          blocked: read.blocked === undefined ? null : JSON.stringify(read.blocked),
          sight: read.visibility === undefined ? null : JSON.stringify(read.visibility),
        };
        // A resumed run reads again. Its later read replaces the first.
        await transaction
          .insertInto('reads')
          .values({ run: read.run, ...row })
          .onConflict((conflict) => conflict.column('run').doUpdateSet(row))
          .execute();
      });
    },

    async accept(runId) {
      await db.updateTable('reads').set({ is_accepted: 1 }).where('run', '=', runId).execute();
    },

    async watermark(sync) {
      const row = await db.selectFrom('watermarks').selectAll().where('sync', '=', sync).executeTakeFirst();
      return (
        row && {
          at: Number(row.known_at),
          fullAt: Number(row.full_at),
          fullRun: row.full_run,
          fingerprint: row.fingerprint,
        }
      );
    },
  };
}

/** Sets the sync's watermark, or deletes it when `mark` is undefined. */
export async function putWatermark(db: OpenTransaction, sync: string, mark: Watermark | undefined): Promise<void> {
  if (mark === undefined) {
    await db.deleteFrom('watermarks').where('sync', '=', sync).execute();
    return;
  }
  const row = { known_at: mark.at, full_at: mark.fullAt, full_run: mark.fullRun, fingerprint: mark.fingerprint };
  await db
    .insertInto('watermarks')
    .values({ sync, ...row })
    .onConflict((conflict) => conflict.column('sync').doUpdateSet(row))
    .execute();
}
