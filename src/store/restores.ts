import type { Restores } from '../ports/store.ts';
import type { Database } from './database.ts';

export function createRestores(db: Database): Restores {
  return {
    async last() {
      const row = await db
        .selectFrom('restores')
        .select(['at', 'made_at'])
        .orderBy('at', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row && { at: Number(row.at), madeAt: Number(row.made_at) };
    },
  };
}
