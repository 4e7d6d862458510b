import { setImmediate as nextTurn } from 'node:timers/promises';
import type { HoldRecord } from '../ports/store.ts';
import type { Database } from './database.ts';

/** What became of a held change that waits for no person any more. */
export type SettledState = 'approved' | 'rejected' | 'expired';

/** Decisions per statement. A hash has 64 characters. */
const readAtOnce = 5000;

/** Hashes of the sync's changes that do not wait for a person at this instant. `since`: when the oldest hold opened. */
export async function settledHashes(
  db: Database,
  sync: string,
  { now, since }: { readonly now: number; readonly since: number },
): Promise<ReadonlyMap<string, SettledState>> {
  const found = new Map<string, SettledState>();
  for (let after = ''; ; ) {
    const rows = await db
      .selectFrom('decisions')
      .select(['hash', 'state', 'expires_at', 'run', 'ended_at'])
      .where('sync', '=', sync)
      .where('hash', '>', after)
      .where((eb) => eb.or([eb('state', '!=', 'open'), eb('expires_at', '<=', now), eb('ended_at', 'is not', null)]))
      .where((eb) => eb.or([eb('ended_at', 'is', null), eb('ended_at', '>=', since)]))
      .orderBy('hash')
      .limit(readAtOnce)
      .execute();
    for (const { hash, state, expires_at, run, ended_at } of rows) {
      const isPast = ended_at !== null || (run === null && expires_at !== null && Number(expires_at) <= now);
      found.set(hash, isPast || state === 'open' ? 'expired' : state);
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < readAtOnce) return found;
    after = last.hash;
    await nextTurn();
  }
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
      .where('state', '=', 'open')
      .where('ended_at', 'is', null)
      .where('expires_at', '>', now)
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

/** The state of a hold, by what became of its changes. */
export function holdState(hashes: readonly string[], settled: ReadonlyMap<string, SettledState>): HoldRecord['state'] {
  const states = new Set<SettledState>();
  for (const hash of hashes) {
    const state = settled.get(hash);
    if (state === undefined) return 'open';
    states.add(state);
  }
  if (states.has('approved')) return states.has('rejected') ? 'decided' : 'approved';
  return states.has('rejected') ? 'rejected' : 'expired';
}

/** Changes whenever another change of the sync stops to wait. */
export async function settledVersion(db: Database, sync: string, now: number): Promise<string> {
  const row = await db
    .selectFrom('decisions')
    .select((eb) => [eb.fn.countAll().as('count'), eb.fn.max('at').as('at')])
    .where('sync', '=', sync)
    .where((eb) => eb.or([eb('state', '!=', 'open'), eb('expires_at', '<=', now), eb('ended_at', 'is not', null)]))
    .executeTakeFirst();
  return `${row?.count ?? 0} ${row?.at ?? 0}`;
}
