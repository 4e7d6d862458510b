import type { Leases } from '../ports/store.ts';
import type { Database } from './database.ts';

/** Each method is one statement, so none needs a transaction. */
export function createLeases(db: Database): Leases {
  return {
    async take(name, owner, ttlMs, now) {
      const row = await db
        .insertInto('leases')
        .values({ name, owner, fence: 1, until_at: now + ttlMs })
        .onConflict((conflict) =>
          conflict
            .column('name')
            .doUpdateSet((eb) => ({ owner, fence: eb('leases.fence', '+', 1), until_at: now + ttlMs }))
            // The same owner may take it again, for example after a crash. The new fence blocks writes under the former one.
            .where((eb) =>
              eb.or([eb('leases.owner', 'is', null), eb('leases.owner', '=', owner), eb('leases.until_at', '<=', now)]),
            ),
        )
        .returning('fence')
        .executeTakeFirst();
      return row && { name, owner, fence: Number(row.fence) };
    },

    async renew(lease, ttlMs, now) {
      const { numUpdatedRows } = await db
        .updateTable('leases')
        .set({ until_at: now + ttlMs })
        .where('name', '=', lease.name)
        .where('owner', '=', lease.owner)
        .where('fence', '=', lease.fence)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    async release(lease) {
      await db
        .updateTable('leases')
        .set({ owner: null, until_at: 0 })
        .where('name', '=', lease.name)
        .where('owner', '=', lease.owner)
        .where('fence', '=', lease.fence)
        .execute();
    },

    async holder(name, now) {
      const row = await db
        .selectFrom('leases')
        .select(['owner', 'until_at'])
        .where('name', '=', name)
        .where('until_at', '>', now)
        .executeTakeFirst();
      return row === undefined || row.owner === null ? undefined : { owner: row.owner, until: Number(row.until_at) };
    },
  };
}
