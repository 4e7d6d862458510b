import type { StoredBlocked } from '../core/guard/blocked.ts';
import type { FieldVisibility } from '../core/guard/field-visibility.ts';
import type { RawText, RawTexts } from '../ports/reads.ts';
import type { ReadRecord, Reads, Watermark } from '../ports/store.ts';
import { asOwner, type Database, type OpenTransaction } from './db/database.ts';
import type { KeyRing } from './db/key-ring.ts';
import { placeOf } from './db/tables.ts';

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

const mostTexts = 200;
const mostCharacters = 4000;

export function createRawTexts(db: Database, keys: KeyRing): RawTexts {
  return {
    async add(owned, { at, about, text }) {
      if (keys.prefix === undefined) return;
      const run = owned.run.id;
      await asOwner(db, owned, async (transaction) => {
        const last = await transaction
          .selectFrom('raw_texts')
          .select((eb) => eb.fn.max('number').as('number'))
          .where('run', '=', run)
          .executeTakeFirst();
        const number = Number(last?.number ?? 0) + 1;
        if (number > mostTexts) return;
        const content = JSON.stringify([about, text.slice(0, mostCharacters)]);
        const sealed = keys.close(content, placeOf('raw_texts', 'sealed', { run, number }));
        await transaction.insertInto('raw_texts').values({ run, number, at, sealed }).execute();
      });
    },

    async ofRun(run) {
      const rows = await db.selectFrom('raw_texts').selectAll().where('run', '=', run).orderBy('number').execute();
      return rows.map(({ number, at, sealed }): RawText => {
        const [about, text] = JSON.parse(keys.open(sealed, placeOf('raw_texts', 'sealed', { run, number }))) as [
          string,
          string,
        ];
        return { at: Number(at), about, text };
      });
    },
  };
}
