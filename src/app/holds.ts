import type { PlannedChange, Run, Store } from '../ports/store.ts';
import type { EngineIo } from '../run/engine-io.ts';
import type { DoubtedRead, HoldsReport, OpenHold } from '../views/holds.ts';
import type { AppIo } from './app-io.ts';
import { findSync } from './find-named.ts';
import { heldChanges } from './held-changes.ts';

export interface HoldsQuery {
  readonly sync?: string;
  /** Maximum number of people per hold. */
  readonly limit: number;
}

/**
 * Lists the changes that wait for approval in all configured syncs, or in one, across all runs. Throws `USAGE` for an
 * unknown sync.
 */
export async function findHolds({ engine: io }: AppIo, { sync, limit }: HoldsQuery): Promise<HoldsReport> {
  const names = sync === undefined ? [...io.syncs.keys()] : [findSync(sync, io.syncs).settings.name];
  const holds: OpenHold[] = [];
  const reads: DoubtedRead[] = [];
  for (const name of names) {
    holds.push(...(await holdsOf(name, limit, io)));
    const [newest] = await io.store.runs.list({ sync: name, limit: 1 });
    if (newest === undefined || !(await isReadWaiting(newest, io.store))) continue;
    reads.push({ sync: name, run: newest.id, reason: newest.reason, startedAt: newest.startedAt });
  }
  return { holds, reads };
}

/** Returns whether a guard doubts the read of the run, and neither this read nor a later one was accepted. */
export async function isReadWaiting({ sync, startedAt, facts }: Run, store: Store): Promise<boolean> {
  if (facts.isReadDoubted !== true) return false;
  const last = await store.reads.last(sync);
  return last === undefined || last.at < startedAt;
}

async function holdsOf(sync: string, limit: number, io: EngineIo): Promise<OpenHold[]> {
  const now = io.clock.now();
  // A run about a few people holds some of them again. Each person is listed in the hold of the newest run.
  const newestFirst = (await io.store.holds.listOpen(sync)).toSorted((a, b) => b.expiresAt - a.expiresAt);
  const runOf = new Map<string, string>();
  const found: OpenHold[] = [];
  for (const hold of newestFirst) {
    const run = await io.store.runs.get(hold.run);
    if (run === undefined) continue;
    const isApprovable = hold.expiresAt > now;
    let waiting = 0;
    const changes: PlannedChange[] = [];
    for await (const { change, state } of heldChanges(run, io)) {
      const isWaiting = state === 'open' || (state === 'past' && !isApprovable && change.state === 'held');
      if (!isWaiting || !change.classes.includes(hold.class)) continue;
      if ((runOf.get(change.hash) ?? run.id) !== run.id) continue;
      runOf.set(change.hash, run.id);
      waiting += 1;
      if (changes.length < limit) changes.push(change);
    }
    const budget = run.facts.budgetWithHeld;
    if (waiting > 0) found.push({ hold, isApprovable, waiting, budget, changes });
  }
  return found.reverse();
}
