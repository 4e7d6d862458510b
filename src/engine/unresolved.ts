import { countOf } from '../core/count-of.ts';
import type { LedgerEntry } from '../core/ledger.ts';
import type { Batch, ChangeMark, PlannedChange } from '../ports/store.ts';
import { carriedBy } from './batches.ts';
import { spanOn } from './clock-span.ts';
import type { EngineIo, RunContext, Sync } from './engine-io.ts';
import { type LookupQuestion, type Lookups, openLookups } from './lookups.ts';
import { entryAfter, markOf, readBack } from './read-back.ts';

/** Changes of earlier runs whose outcome is not known. */
export interface Unresolved {
  /** Users for whom nothing is planned. */
  readonly blocked: ReadonlySet<string>;
  /** Users whose waiting time is over. If the plan repeats the change, it is counted and reported as a repeat. */
  readonly released: ReadonlySet<string>;
  /** The blocked users of this sync's own batches, and of those that no configured sync sent. */
  readonly own: ReadonlySet<string>;
}

/**
 * Checks every unresolved batch of the connection again, with one scan for all if that needs fewer requests than single
 * reads. A batch is settled when every change is seen applied. Until then its users are blocked until
 * `settle.unknownAfter` has passed. After that, the planner decides about changes that are not seen.
 */
export async function resolveUnresolved(context: RunContext, io: EngineIo): Promise<Unresolved> {
  const { sync } = context;
  const blocked = new Set<string>();
  const released = new Set<string>();
  const own = new Set<string>();
  const batches = await io.store.batches.unresolved(sync.settings.connection);
  const ours = batches.filter((batch) => isForUs(batch, sync, io));
  for (const batch of batches.filter((one) => !ours.includes(one))) {
    for (const { identification } of await unresolvedChanges(batch, io)) blocked.add(identification);
  }
  if (ours.length === 0) return { blocked, released, own };
  const lookups = await openLookups(questionOf(ours, io), context, io);
  try {
    for (const batch of ours) {
      const found = await resolveBatch(context, { batch, lookups }, io);
      for (const name of found.open) {
        (found.isDecided ? released : blocked).add(name);
        if (!found.isDecided) own.add(name);
      }
    }
  } finally {
    lookups.close();
  }
  return { blocked, released, own };
}

function questionOf(batches: readonly Batch[], io: EngineIo): LookupQuestion {
  return {
    step: 'reading-back',
    count: batches.reduce((sum, { size }) => sum + size, 0),
    async *names() {
      for (const batch of batches) {
        for (const { identification } of await unresolvedChanges(batch, io)) yield identification;
      }
    },
  };
}

interface Resolved {
  /** Users who wait, or whose change is not seen after the waiting time. */
  readonly open: readonly string[];
  readonly isDecided: boolean;
}

async function resolveBatch(
  { sync, owned }: RunContext,
  { batch, lookups }: { readonly batch: Batch; readonly lookups: Lookups },
  io: EngineIo,
): Promise<Resolved> {
  const changes = await unresolvedChanges(batch, io);
  const now = io.clock.now();
  const marks: ChangeMark[] = [];
  const ledger: LedgerEntry[] = [];
  const open: string[] = [];
  for (const back of await readBack(changes, { lookups, sync }, io)) {
    const entry = entryAfter(back, sync, now);
    if (back.verdict.kind === 'unverified' || entry === undefined) open.push(back.change.identification);
    else if (batch.isParking === true) {
      const { identification } = back.change;
      marks.push({ identification, state: 'failed', reason: 'only its parking address was sent; planned again' });
    } else {
      ledger.push(entry);
      marks.push(markOf(back, now));
    }
  }
  if (open.length > 0 && !isWaitedOut(batch, sync, io)) {
    return { open: changes.map(({ identification }) => identification), isDecided: false };
  }
  for (const identification of open) {
    marks.push({ identification, state: 'failed', reason: 'its outcome stayed unknown; planned again' });
  }
  const reason =
    open.length === 0
      ? 'every change was seen applied'
      : `${countOf(open.length, 'change was', 'changes were')} not seen applied in time; planned again`;
  await io.store.batches.resolve(owned, batch.id, reason, { marks, ledger });
  return { open, isDecided: true };
}

/** Returns the users with a change that another run in progress has sent and not proven. Nothing is planned for them. */
export async function claimedElsewhere(sync: Sync, run: string | undefined, io: EngineIo): Promise<string[]> {
  const batches = await io.store.batches.unproven(sync.settings.connection);
  const names: string[] = [];
  for (const batch of batches.filter((one) => one.run !== run)) {
    for (const { identification } of await unresolvedChanges(batch, io)) names.push(identification);
  }
  return names;
}

/** Returns the same users as `resolveUnresolved` without changing anything, for a dry run. */
export async function blockedUsers(sync: Sync, io: EngineIo): Promise<Unresolved> {
  const blocked = new Set<string>();
  const released = new Set<string>();
  const own = new Set<string>();
  for (const batch of await io.store.batches.unresolved(sync.settings.connection)) {
    const isOurs = isForUs(batch, sync, io);
    const isOver = isOurs && isWaitedOut(batch, sync, io);
    for (const { identification } of await unresolvedChanges(batch, io)) {
      (isOver ? released : blocked).add(identification);
      if (isOurs && !isOver) own.add(identification);
    }
  }
  return { blocked, released, own };
}

/**
 * Returns whether this sync handles the batch: its own sync does, or any sync when that one is no longer configured.
 */
function isForUs(batch: Batch, sync: Sync, io: EngineIo): boolean {
  return batch.sync === sync.settings.name || !io.syncs.has(batch.sync);
}

/**
 * Returns whether the waiting time is over. It starts when the batch became unresolved, so a file that was stuck until
 * its deadline also gets it.
 */
function isWaitedOut(batch: Batch, sync: Sync, { clock }: EngineIo): boolean {
  const ageMs = clock.now() - Math.max(batch.sentAt ?? 0, batch.finalAt ?? 0);
  return ageMs >= spanOn(clock, sync.settings.settle.unknownAfterMs);
}

/**
 * Returns the unresolved changes. Includes those still `sent`, because a batch that ended while it was settled may have
 * left some.
 */
async function unresolvedChanges(batch: Batch, io: EngineIo): Promise<readonly PlannedChange[]> {
  const { run, id, size } = batch;
  return carriedBy(batch, await io.store.plans.page(run, { batch: id, states: ['unresolved', 'sent'], limit: size }));
}
