import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from './database.ts';
import { isSettled, isWaiting } from './hold-members.ts';

/** Decisions per statement. A hash has 64 characters. */
const readAtOnce = 5000;

/** Hashes of the sync's changes that wait for a person at this instant. */
export async function waitingHashes(db: Database, sync: string, now: number): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (let after = { identification: '', hash: '' }; ; ) {
    const { identification, hash: from } = after;
    const rows = await db
      .selectFrom('decisions')
      .select(['identification', 'hash'])
      .where('sync', '=', sync)
      .where((eb) => eb(eb.refTuple('identification', 'hash'), '>', eb.tuple(identification, from)))
      .where(isWaiting(now))
      .orderBy('identification')
      .orderBy('hash')
      .limit(readAtOnce)
      .execute();
    for (const { hash } of rows) found.add(hash);
    const last = rows.at(-1);
    if (last === undefined || rows.length < readAtOnce) return found;
    after = last;
    await nextTurn();
  }
}

/** Changes whenever another change of the sync stops to wait. */
export async function settledVersion(db: Database, sync: string, now: number): Promise<string> {
  const row = await db
    .selectFrom('decisions')
    .select((eb) => [eb.fn.countAll().as('count'), eb.fn.max('at').as('at')])
    .where('sync', '=', sync)
    .where(isSettled(now))
    .executeTakeFirst();
  return `${row?.count ?? 0} ${row?.at ?? 0}`;
}

/** Changes whenever a change of the sync begins or ceases to wait. */
export async function waitingVersion(db: Database, sync: string, now: number): Promise<string> {
  const row = await db
    .selectFrom('decisions')
    .select((eb) => [eb.fn.countAll().as('count'), eb.fn.max('at').as('at'), eb.fn.max('hash').as('hash')])
    .where('sync', '=', sync)
    .where(isWaiting(now))
    .executeTakeFirst();
  return `${row?.count ?? 0} ${row?.at ?? 0} ${row?.hash ?? ''} ${await settledVersion(db, sync, now)}`;
}
