import type { LedgerEntry } from '../core/ledger.ts';
import type { Batch, ChangeMark, PlannedChange } from '../ports/store.ts';
import type { EngineIo, RunContext, Sync } from './engine-io.ts';
import { entryAfter, readBack } from './read-back.ts';

/** What earlier runs left with an unknown fate. */
export interface Unresolved {
  /** Nothing is planned for these. */
  readonly blocked: ReadonlySet<string>;
  /** Waited out: if the plan wants the same again it is a repeat, counted and reported. */
  readonly released: ReadonlySet<string>;
}

/**
 * Looks again at every unresolved batch of the connection: what is seen applied is applied; what is not seen blocks its
 * users until `settle.unknownAfter` has passed, and is then left to the planner.
 */
export async function resolveUnresolved(context: RunContext, io: EngineIo): Promise<Unresolved> {
  const { sync, owned, signal } = context;
  const blocked = new Set<string>();
  const released = new Set<string>();
  for (const batch of await io.store.batches.unresolved(sync.settings.connection)) {
    const changes = await unresolvedChanges(batch, io);
    const now = io.clock.now();
    const marks: ChangeMark[] = [];
    const ledger: LedgerEntry[] = [];
    let open = 0;
    for (const back of await readBack(changes, sync, signal, io)) {
      const { identification } = back.change;
      const entry = batch.sync === sync.settings.name ? entryAfter(back, sync, now) : undefined;
      if (back.verdict.kind === 'not-seen' || entry === undefined) {
        open += 1;
        blocked.add(identification);
        continue;
      }
      ledger.push(entry);
      marks.push({ identification, state: 'applied', appliedAt: now });
    }
    const isWaitedOut = now - (batch.sentAt ?? 0) >= sync.settings.settle.unknownAfterMs;
    if (batch.sync !== sync.settings.name || (open > 0 && !isWaitedOut)) continue;
    const reason =
      open === 0
        ? 'every change was seen applied'
        : `${open} changes were not seen applied in time and are planned anew`;
    if (isWaitedOut) {
      for (const { identification } of changes) {
        if (!blocked.delete(identification)) continue;
        released.add(identification);
        marks.push({ identification, state: 'failed', reason: 'its fate stayed unknown; planned anew' });
      }
    }
    await io.store.batches.resolve(owned, batch.id, reason, { marks, ledger });
  }
  return { blocked, released };
}

/** The same question without touching anything, for a plan that is only shown. */
export async function blockedUsers(sync: Sync, io: EngineIo): Promise<Unresolved> {
  const blocked = new Set<string>();
  for (const batch of await io.store.batches.unresolved(sync.settings.connection)) {
    for (const { identification } of await unresolvedChanges(batch, io)) blocked.add(identification);
  }
  return { blocked, released: new Set() };
}

function unresolvedChanges(batch: Batch, io: EngineIo): Promise<readonly PlannedChange[]> {
  return io.store.plans.page(batch.run, { batch: batch.id, states: ['unresolved'], limit: batch.size });
}
