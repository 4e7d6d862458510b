import type { Store, StoreOutlook, StoreSample } from '../../ports/store.ts';
import type { Database } from './database.ts';
import { sizeOf } from './differences.ts';
import { fields } from './fields.ts';
import { put } from './row-writer.ts';

const dayMs = 86_400_000;
const keptDays = 30;

const samples = fields<StoreSample, 'store_sizes'>('store_sizes', { day: null }, { room: 'optional' });

/** What the store knows about its own size. `place`: the file of a SQLite store. */
export function createStoreSizes(db: Database, place: string): Pick<Store, 'size' | 'noteSize' | 'outlook'> {
  return {
    size: () => sizeOf(db, place),

    async noteSize(now) {
      const day = Math.floor(now / dayMs);
      const { isLate: _, ...size } = await sizeOf(db, place);
      await put(db, 'store_sizes', { ...samples.toRow({ at: now, ...size }), day });
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

/** Two samples show a day, which may be an unusual one. */
const fewest = 3;

/**
 * Estimates when the store reaches `limit` (bytes) or its disk is full, by the line through the samples: of its size for the
 * limit, and of the free space for the disk, which others use too.
 */
export function storeOutlook(
  samples: readonly StoreSample[],
  { bytes, room }: Omit<StoreSample, 'at'>,
  limit: number | undefined,
): StoreOutlook {
  const sizes = samples.map((one) => [one.at, one.bytes] as const);
  const taken = samples.flatMap((one) => (one.room === undefined ? [] : [[one.at, -one.room] as const]));
  const ends = [
    ...(limit === undefined ? [] : [{ left: Math.max(0, limit - bytes), perDay: perDay(sizes) }]),
    ...(room === undefined ? [] : [{ left: room, perDay: perDay(taken) }]),
  ];
  const days = ends.filter((end) => end.perDay > 0).map((end) => end.left / end.perDay);
  return {
    bytes,
    ...(ends.length === 0 ? {} : { room: Math.min(...ends.map(({ left }) => left)) }),
    ...(days.length === 0 ? {} : { daysUntilFull: Math.floor(Math.min(...days)) }),
  };
}

/** Returns the slope of the line with the least squares; 0 with too few points. */
function perDay(points: readonly (readonly [at: number, value: number])[]): number {
  if (points.length < fewest) return 0;
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [at, value] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
  const spread = points.reduce((sum, [x]) => sum + (x - at) ** 2, 0);
  const rise = points.reduce((sum, [x, y]) => sum + (x - at) * (y - value), 0);
  return spread === 0 ? 0 : (rise / spread) * dayMs;
}
