import { sql } from 'kysely';
import type { Turn, TurnRequest, Turns } from '../ports/leases.ts';
import type { Lease, Leases } from '../ports/store.ts';
import { type Database, inTransaction, type OpenTransaction } from './db/database.ts';
import type { StoreProof } from './db/store-proof.ts';

/**
 * Each method is one statement, so none needs a transaction. A run, a presentation of a token and a check of the store begin
 * with a lease, so the store is proved with each. A renewal too: in an older copy, the lease would seem lost.
 */
export function createLeases(db: Database, proof: Pick<StoreProof, 'prove'>): Leases {
  return {
    async take(name, owner, ttlMs, now) {
      const lease = await takeLease(db, { name, owner, ttlMs }, now);
      try {
        // A move marks the store first and looks for leases afterwards, so one of the two sees the other.
        await proof.prove();
      } catch (error) {
        if (lease !== undefined) await release(db, lease).catch(() => {});
        throw error;
      }
      return lease;
    },

    async renew(lease, ttlMs, now) {
      await proof.prove();
      const { numUpdatedRows } = await db
        .updateTable('leases')
        .set({ until_at: now + ttlMs })
        .where((eb) => eb.and({ name: lease.name, owner: lease.owner, fence: lease.fence }))
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    release: (lease) => release(db, lease),

    async holder(name, now) {
      const row = await db
        .selectFrom('leases')
        .select(['owner', 'until_at'])
        .where('name', '=', name)
        .where('until_at', '>', now)
        .executeTakeFirst();
      return row === undefined || row.owner === null ? undefined : { owner: row.owner, until: row.until_at };
    },
  };
}

async function release(db: Database, { name, owner, fence }: Lease): Promise<void> {
  await db
    .updateTable('leases')
    .set({ owner: null, until_at: 0 })
    .where((eb) => eb.and({ name, owner, fence }))
    .execute();
}

/** `Leases.take`. */
export async function takeLease(
  db: Database,
  { name, owner, ttlMs }: { readonly name: string; readonly owner: string; readonly ttlMs: number },
  now: number,
): Promise<Lease | undefined> {
  const row = await db
    .insertInto('leases')
    .values({ name, owner, fence: 1, until_at: now + ttlMs })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet((eb) => ({
          owner,
          fence: eb('leases.fence', '+', 1),
          until_at: now + ttlMs,
          deaths: eb
            .case()
            .when('leases.owner', 'is not', null)
            .then(eb('leases.deaths', '+', 1))
            .else(eb.ref('leases.deaths'))
            .end(),
        }))
        // The same owner may take it again, for example after a crash. The new fence blocks writes under the former one.
        .where((eb) =>
          eb.or([eb('leases.owner', 'is', null), eb('leases.owner', '=', owner), eb('leases.until_at', '<=', now)]),
        ),
    )
    .returning(['fence', 'deaths'])
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { fence, deaths } = row;
  return { name, owner, fence, ...(deaths === 0 ? {} : { deaths }) };
}

/** Places of owners that never asked again, for example because their process crashed at its end, are deleted after this. */
const forgottenMs = 86_400_000;

/**
 * Only the lease decides who has it. The queue decides who asks for it: two owners that ask in the same moment may get
 * the same number, and then their names decide.
 */
export function createTurns(db: Database): Turns {
  return {
    take: (request, now) => inTransaction(db, (transaction) => takeTurn(transaction, request, now)),

    release: (name, owner) => releaseTurn(db, name, owner),
  };
}

async function takeTurn(db: OpenTransaction, { name, owner, ttlMs, placeMs }: TurnRequest, now: number): Promise<Turn> {
  const found = await db
    .selectNoFrom((eb) => [
      eb
        .selectFrom('leases')
        .select('leases.owner')
        .where('leases.name', '=', name)
        .where('leases.until_at', '>', now)
        .as('holder'),
      eb
        .selectFrom('turns')
        .select('turns.number')
        .where((eb) => eb.and({ 'turns.name': name, 'turns.owner': owner }))
        .as('place'),
      eb
        .selectFrom('turns as others')
        .leftJoin('turns as mine', (join) => join.onRef('mine.name', '=', 'others.name').on('mine.owner', '=', owner))
        .select((one) => one.fn.countAll<number>().as('count'))
        .where('others.name', '=', name)
        .where('others.owner', '!=', owner)
        .where('others.until_at', '>', now)
        .where((one) =>
          one.or([
            one('mine.number', 'is', null),
            one('others.number', '<', one.ref('mine.number')),
            one.and([one('others.number', '=', one.ref('mine.number')), one('others.owner', '<', owner)]),
          ]),
        )
        .as('ahead'),
    ])
    .executeTakeFirstOrThrow();
  const isHolder = found.holder === owner;
  const isHeld = found.holder !== null && !isHolder;
  const waiting = Number(found.ahead);
  if (isHolder || (!isHeld && waiting === 0)) {
    if ((await takeLease(db, { name, owner, ttlMs }, now)) !== undefined) {
      if (found.place !== null) await dropPlace(db, { name, owner }, now);
      return { isTaken: true, ahead: 0 };
    }
  }
  await db
    .insertInto('turns')
    .values((eb) => ({
      name,
      owner,
      number: eb
        .selectFrom('turns')
        .select((one) => sql<number>`coalesce(${one.fn.max('turns.number')}, 0) + 1`.as('next'))
        .where('turns.name', '=', name),
      until_at: now + placeMs,
    }))
    .onConflict((conflict) => conflict.columns(['name', 'owner']).doUpdateSet({ until_at: now + placeMs }))
    .execute();
  return { isTaken: false, ahead: Math.max(1, waiting + (isHeld ? 1 : 0)) };
}

/** Gives up the owner's place in the queue, and releases the lease if the owner holds it. */
export async function leaveTurn(db: OpenTransaction, name: string, owner: string): Promise<void> {
  await db.deleteFrom('turns').where('name', '=', name).where('owner', '=', owner).execute();
  await releaseTurn(db, name, owner);
}

async function releaseTurn(db: Database, name: string, owner: string): Promise<void> {
  await db
    .updateTable('leases')
    .set({ owner: null, until_at: 0 })
    .where((eb) => eb.and({ name, owner }))
    .execute();
}

async function dropPlace(
  db: OpenTransaction,
  { name, owner }: Pick<TurnRequest, 'name' | 'owner'>,
  now: number,
): Promise<void> {
  await db
    .deleteFrom('turns')
    .where('name', '=', name)
    .where((eb) => eb.or([eb('owner', '=', owner), eb('until_at', '<', now - forgottenMs)]))
    .execute();
}
