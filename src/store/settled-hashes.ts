import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ExpressionBuilder } from 'kysely';
import type { Database } from './database.ts';
import { inLists } from './row-writer.ts';
import type { Schema } from './schema.ts';

/** What became of a held change that no longer waits for a person. */
export type SettledState = 'approved' | 'rejected' | 'expired';

/** Decisions per statement. A hash has 64 characters. */
const readAtOnce = 5000;

/** Hashes that one statement looks up. */
const hashesPerStatement = 1024;

export interface SettledTimes {
  readonly sync: string;
  readonly now: number;
  /** When the oldest hold opened (epoch ms). Decisions that ended before count as open. */
  readonly since: number;
}

/** Returns those of the hashes whose change does not wait for a person at this instant. */
export async function settledAmong(
  db: Database,
  hashes: readonly string[],
  { sync, now, since }: SettledTimes,
): Promise<ReadonlyMap<string, SettledState>> {
  const found = new Map<string, SettledState>();
  for (const some of inLists(hashes, hashesPerStatement)) {
    const rows = await db
      .selectFrom('decisions')
      .select(['hash', 'state', 'expires_at', 'run', 'ended_at'])
      .where('sync', '=', sync)
      .where('hash', 'in', some)
      .where(isSettled(now))
      .where((eb) => eb.or([eb('ended_at', 'is', null), eb('ended_at', '>=', since)]))
      .execute();
    for (const { hash, state, expires_at, run, ended_at } of rows) {
      const isPast = ended_at !== null || (run === null && expires_at !== null && Number(expires_at) <= now);
      found.set(hash, isPast || state === 'open' ? 'expired' : state);
    }
  }
  return found;
}

/** Selects the decisions that wait for a person at this instant. */
function isWaiting(now: number) {
  return (eb: ExpressionBuilder<Schema, 'decisions'>) =>
    eb.and([eb('state', '=', 'open'), eb('ended_at', 'is', null), eb('expires_at', '>', now)]);
}

/** Selects the other decisions. */
function isSettled(now: number) {
  return (eb: ExpressionBuilder<Schema, 'decisions'>) =>
    eb.or([eb('state', '!=', 'open'), eb('ended_at', 'is not', null), eb('expires_at', '<=', now)]);
}

/** Returns those of the hashes whose change waits for a person at this instant. */
export async function waitingAmong(
  db: Database,
  hashes: readonly string[],
  { sync, now }: Pick<SettledTimes, 'sync' | 'now'>,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const some of inLists(hashes, hashesPerStatement)) {
    const rows = await db
      .selectFrom('decisions')
      .select('hash')
      .where('sync', '=', sync)
      .where('hash', 'in', some)
      .where(isWaiting(now))
      .execute();
    for (const { hash } of rows) found.push(hash);
  }
  return found;
}

/** Hashes of the sync's changes that wait for a person at this instant. */
export async function waitingHashes(db: Database, sync: string, now: number): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (let after = ''; ; ) {
    const rows = await db
      .selectFrom('decisions')
      .select('hash')
      .where('sync', '=', sync)
      .where('hash', '>', after)
      .where(isWaiting(now))
      .orderBy('hash')
      .limit(readAtOnce)
      .execute();
    for (const { hash } of rows) found.add(hash);
    const last = rows.at(-1);
    if (last === undefined || rows.length < readAtOnce) return found;
    after = last.hash;
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
