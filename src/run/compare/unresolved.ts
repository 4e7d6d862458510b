import { countOf, formatInstant } from '../../core/run/formats.ts';
import type { Clock } from '../../ports/runtime.ts';
import type { Batch, PlannedChange } from '../../ports/store.ts';
import { spanOn } from '../clock-span.ts';
import type { EngineIo, RunContext, Sync } from '../engine-io.ts';
import { type LookupQuestion, type Lookups, openLookups } from '../read-back/lookups.ts';
import { certainOf, type ReadBack, readBack } from '../read-back/read-back.ts';

/** Why nothing is planned for a user. */
export interface Wait {
  /** What is not known, and until when the user waits. */
  readonly reason: string;
  /** This sync sent the change, or a sync that is no longer configured. */
  readonly isOwn: boolean;
  /** The run that sent the change. */
  readonly run: string;
  /** When the wait ends (epoch ms), whatever the platform shows. Undefined: another sync or run ends it. */
  readonly until: number | undefined;
}

/** Changes of earlier runs whose outcome is not known. */
export interface Unresolved {
  /** Users for whom nothing is planned. */
  readonly blocked: ReadonlyMap<string, Wait>;
  /** Users whose waiting time is over. If the plan repeats the change, it is counted and reported as a repeat. */
  readonly released: ReadonlySet<string>;
}

/**
 * Checks every unresolved batch of the connection again, with one scan for all if that needs fewer requests than single
 * reads. A batch is settled when every change is seen applied. Until then its users are blocked until
 * `settle.unknownAfter` has passed. After that, the planner decides about changes that are not seen.
 */
export async function resolveUnresolved(
  context: RunContext,
  batches: readonly Batch[],
  io: EngineIo,
): Promise<Unresolved> {
  const { sync } = context;
  const { ours = [], others = [] } = Object.groupBy(batches, (one) => (isForUs(one, sync, io) ? 'ours' : 'others'));
  const left = await Promise.all(others.map((batch) => leftAsItIs(batch, sync, io)));
  if (ours.length === 0) return unresolvedOf(left, sync, io);
  const lookups = await openLookups(questionOf(ours, io), context, io);
  try {
    for (const batch of ours) left.push(await resolveBatch(context, { batch, lookups }, io));
  } finally {
    lookups.close();
  }
  return unresolvedOf(left, sync, io);
}

/** Returns the same users as `resolveUnresolved` without changing anything, for a dry run. */
export async function blockedUsers(sync: Sync, batches: readonly Batch[], io: EngineIo): Promise<Unresolved> {
  return unresolvedOf(await Promise.all(batches.map((batch) => leftAsItIs(batch, sync, io))), sync, io);
}

/** The users of a batch whose outcome is not known. */
interface Left {
  readonly batch: Batch;
  readonly users: readonly string[];
  /** Their waiting time is over. */
  readonly isReleased: boolean;
}

async function leftAsItIs(batch: Batch, sync: Sync, io: EngineIo): Promise<Left> {
  const isReleased = isForUs(batch, sync, io) && isWaitedOut(batch, sync, io);
  return { batch, users: await unresolvedUsers(batch, io), isReleased };
}

function unresolvedOf(left: readonly Left[], sync: Sync, io: EngineIo): Unresolved {
  const waiting = left.filter(({ isReleased }) => !isReleased);
  const blocked = waiting.flatMap(({ batch, users }) => {
    const isOwn = isForUs(batch, sync, io);
    const until = isOwn ? waitsUntil(batch, sync, io.clock) : undefined;
    const wait = { reason: until === undefined ? otherReason(batch) : ownReason(until), isOwn, run: batch.run, until };
    return users.map((name) => [name, wait] as const);
  });
  const released = left.filter(({ isReleased }) => isReleased).flatMap(({ users }) => users);
  return { blocked: new Map(blocked), released: new Set(released) };
}

function ownReason(until: number): string {
  return `the outcome of an earlier change is not known: nothing is sent for this user until the platform shows the change, or until ${formatInstant(until)} (settle.unknownAfter)`;
}

function otherReason({ sync }: Batch): string {
  return `the outcome of a change by sync ${sync} is not known: nothing is sent for this user until sync ${sync} knows it`;
}

function questionOf(batches: readonly Batch[], io: EngineIo): LookupQuestion {
  return {
    step: 'reading-back',
    count: batches.reduce((sum, { size }) => sum + size, 0),
    async *names() {
      for (const batch of batches) yield* await unresolvedUsers(batch, io);
    },
  };
}

async function resolveBatch(
  { sync, owned }: RunContext,
  { batch, lookups }: { readonly batch: Batch; readonly lookups: Lookups },
  io: EngineIo,
): Promise<Left> {
  const changes = await unresolvedChanges(batch, io);
  const now = io.clock.now();
  const backs = await readBack(changes, { lookups, sync }, io);
  const isOpen = ({ verdict: { kind } }: ReadBack): boolean => kind === 'unverified' || kind === 'not-seen';
  const { findings: _, ...certain } = certainOf(
    backs.filter((back) => !isOpen(back)),
    sync,
    now,
  );
  const open = backs.filter(isOpen).map(({ change }) => change.identification);
  if (open.length > 0 && !isWaitedOut(batch, sync, io)) {
    return { batch, users: namesOf(changes), isReleased: false };
  }
  for (const identification of open) {
    certain.marks.push({
      identification,
      state: 'failed',
      reason: 'the outcome is still unknown, so the change is planned again',
    });
  }
  const reason =
    open.length === 0
      ? 'the platform shows every change'
      : `${countOf(open.length, 'change was', 'changes were')} not seen applied in time; planned again`;
  await io.store.batches.resolve(owned, batch.id, reason, certain);
  return { batch, users: open, isReleased: true };
}

/** Returns the users with a change that another run in progress has sent and not proven. Nothing is planned for them. */
export async function claimedElsewhere(
  unproven: readonly Batch[],
  run: string,
  io: EngineIo,
): Promise<ReadonlyMap<string, Wait>> {
  const claimed = new Map<string, Wait>();
  for (const batch of unproven.filter((one) => one.run !== run)) {
    const reason = `run ${batch.run} of sync ${batch.sync} has sent a change for this user, and has not read it back yet`;
    for (const name of await unresolvedUsers(batch, io))
      claimed.set(name, { reason, isOwn: false, run: batch.run, until: undefined });
  }
  return claimed;
}

/**
 * Returns whether this sync handles the batch: its own sync does, or any sync when that one is no longer configured.
 */
function isForUs(batch: Batch, sync: Sync, io: EngineIo): boolean {
  return batch.sync === sync.settings.name || !io.syncs.has(batch.sync);
}

function isWaitedOut(batch: Batch, sync: Sync, { clock }: EngineIo): boolean {
  return clock.now() >= waitsUntil(batch, sync, clock);
}

/**
 * Returns when the waiting time is over. It starts when the batch became unresolved, so a file that was stuck until its
 * deadline also gets it.
 */
function waitsUntil({ sentAt, finalAt }: Batch, sync: Sync, clock: Clock): number {
  return Math.max(sentAt ?? 0, finalAt ?? 0) + spanOn(clock, sync.settings.settle.unknownAfterMs);
}

/**
 * Returns the unresolved changes. Includes those still `sent`, because a batch that ended while it was settled may have
 * left some.
 */
async function unresolvedChanges(batch: Batch, io: EngineIo): Promise<readonly PlannedChange[]> {
  const { run, id, size } = batch;
  return io.store.plans.page(run, { batch: id, states: ['unresolved', 'sent'], limit: size });
}

async function unresolvedUsers(batch: Batch, io: EngineIo): Promise<readonly string[]> {
  return namesOf(await unresolvedChanges(batch, io));
}

function namesOf(changes: readonly PlannedChange[]): readonly string[] {
  return changes.map(({ identification }) => identification);
}
