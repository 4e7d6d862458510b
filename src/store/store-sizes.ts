import { type StoreSample, storeOutlook } from '../core/run/store-outlook.ts';
import type { Store } from '../ports/store.ts';
import type { Database } from './db/database.ts';
import { sizeOf } from './db/differences.ts';
import { fields } from './db/fields.ts';
import { put } from './db/row-writer.ts';

const dayMs = 86_400_000;
const keptDays = 30;

const samples = fields<StoreSample, 'store_sizes'>('store_sizes', { day: null }, { room: 'optional' });

/** What the store knows about its own size. `place`: the file of a SQLite store. */
export function createStoreSizes(db: Database, place: string): Pick<Store, 'size' | 'noteSize' | 'outlook'> {
  return {
    size: () => sizeOf(db, place),

    async noteSize(now) {
      const day = Math.floor(now / dayMs);
      await put(db, 'store_sizes', { ...samples.toRow({ at: now, ...(await sizeOf(db, place)) }), day });
      await db
        .deleteFrom('store_sizes')
        .where('day', '<=', day - keptDays)
        .execute();
    },

    async outlook(limit) {
      const rows = await db.selectFrom('store_sizes').selectAll().orderBy('day').execute();
      return storeOutlook(rows.map(samples.fromRow), await sizeOf(db, place), limit);
    },
  };
}
