import { blockedBySource, type StoredBlocked } from '../../core/guard/blocked.ts';
import {
  type BlockedFacts,
  checkGuards,
  classNoun,
  type GuardVerdict,
  isReadDoubted,
  type RestoredStore,
} from '../../core/guard/guard.ts';
import type { LedgerEntry } from '../../core/plan/ledger.ts';
import type { Snapshot } from '../../core/plan/snapshot.ts';
import { chunk } from '../../core/run/batch.ts';
import { formatInstant } from '../../core/run/instant.ts';
import type { PlanCompared } from '../compare/compare-people.ts';
import { addExcessHandOvers } from '../compare/expected-hand-overs.ts';
import type { Decided } from '../decide/decide-changes.ts';
import { withdrawDependents } from '../decide/dependents.ts';
import type { EngineIo } from '../engine-io.ts';
import type { PlanWork } from '../plan-job.ts';
import type { PlanRead } from '../read/read-people.ts';
import { recordDecisions } from '../record/record-decisions.ts';
import { writeDirectory } from '../record/write-directory.ts';
import { writeRoster } from '../record/write-roster.ts';
import { appliedInWindow, guardWindowStart } from './guard-window.ts';
import { holdLeftOut } from './hold-left-out.ts';

const missesAtOnce = 1000;

/** The result of the fourth step. */
export interface Guarded extends GuardVerdict {
  /** Number of changes that were dropped because an operator rejected them. */
  readonly rejected: number;
  /** Why too many people are blocked, whether or not approving the run can accept that. */
  readonly doubt: string | undefined;
  /** The read itself needs approval. False for a read that an approval cannot accept. */
  readonly isReadDoubted: boolean;
}

export interface GuardInput {
  readonly read: PlanRead;
  readonly compared: PlanCompared;
  readonly decided: Decided;
}

/** Removes approved and rejected changes, holds the excess, and records whether the read is accepted. */
export async function guardChanges(work: PlanWork, input: GuardInput, io: EngineIo): Promise<Guarded> {
  const { context, planId } = work;
  const { snapshot } = input.read;
  const now = io.clock.now();
  await addExcessHandOvers(work, input.decided.expected, input.compared, io);
  const { rejected } = await io.store.plans.applyApprovals(context?.owned, planId, work.sync.settings.name, now);
  const leftOut = await holdLeftOut(work, io);
  const verdict = await judge(work, input, io);
  await holdExcess(work, verdict, io);
  await withdrawDependents(work, input.decided.waits, io);
  await recordRead(work, input.read, { verdict, now }, io);
  await recordMisses(work, input.decided, verdict, io);
  io.checkpoint('ledger-written');
  const unresolved = input.compared.unresolved.blocked;
  await recordDecisions(work, { snapshot, unresolved, isDoubted: isReadDoubted(verdict), now }, io);
  const holds = [
    ...verdict.holds,
    ...leftOut.filter((left) => !verdict.holds.some((hold) => hold.class === left.class)),
  ];
  reportHolds(work, { ...verdict, holds }, io);
  // A read that proves no absence has no misses to hold, and nothing that an operator could approve.
  const areMissesHeld = snapshot.isShrunk === true || (snapshot.missing !== undefined && verdict.areMissesHeld);
  // A full read that is not stored cannot be accepted either. The run reports the reason and ends as partial.
  const isHeld = snapshot.kind !== 'full' || isStored(snapshot);
  const { blocked: doubt, ...others } = verdict;
  const held = isHeld && doubt !== undefined ? { blocked: doubt } : {};
  const isDoubted = isHeld && isReadDoubted({ ...others, ...held, areMissesHeld });
  return { ...others, ...held, holds, areMissesHeld, rejected, doubt, isReadDoubted: isDoubted };
}

/** Counts this plan and what was applied before, and asks the guards. */
async function judge(work: PlanWork, { read, compared }: GuardInput, io: EngineIo): Promise<GuardVerdict> {
  const { planId, sync } = work;
  const { snapshot, fillRates, unreadable, vanished, last } = read;
  const { open: classes } = await io.store.plans.count(planId);
  const recent = await appliedInWindow(sync, io);
  const restored = await restoredSince(guardWindowStart(io), io);
  const blocked = blockedFacts(work, read);
  const { name, guards } = sync.settings;
  const { managed, enabled } = compared;
  const { rows } = snapshot;
  const previous = snapshot.kind === 'full' ? last : undefined;
  const facts = { sync: name, classes, recent, managed, enabled, rows, fillRates, unreadable, vanished, previous };
  return checkGuards({ ...facts, ...restored, ...(blocked === undefined ? {} : { blocked }) }, guards);
}

async function holdExcess({ context, planId, sync }: PlanWork, verdict: GuardVerdict, io: EngineIo): Promise<void> {
  const { name } = sync.settings;
  for (const { class: held, reason } of verdict.holds) {
    const count = await io.store.plans.hold(context?.owned, planId, [held], reason);
    io.logger.warn({ sync: name, class: held, count }, `held: ${classNoun[held]}s`);
  }
  for (const { field, reason } of verdict.fields) {
    await io.store.plans.holdFields(context?.owned, planId, [field], reason);
  }
}

/** Stores how often each person was missing, unless a guard holds that. */
async function recordMisses(
  { context, spool }: PlanWork,
  { misses }: Decided,
  { areMissesHeld }: GuardVerdict,
  io: EngineIo,
): Promise<void> {
  if (context === undefined || areMissesHeld) return;
  for (const places of chunk(misses, missesAtOnce)) {
    const entries = places.map((place) => JSON.parse(spool.read(place)) as LedgerEntry);
    await io.store.ledger.put(context.owned, entries);
  }
}

/** Reports each reason for a hold once. */
function reportHolds(work: PlanWork, { holds, fields, blocked }: GuardVerdict, io: EngineIo): void {
  const reasons = new Set([...holds, ...fields].map(({ reason }) => reason));
  if (blocked !== undefined) {
    reasons.add(blocked);
    io.logger.warn({ sync: work.sync.settings.name, ...work.blocked.counts() }, 'held: too many people are blocked');
  }
  for (const message of reasons) work.findings.find({ code: 'held', message });
}

/** Returns the fact of a restore since the instant, if there was one. */
async function restoredSince(since: number, { store }: EngineIo): Promise<{ readonly restored?: RestoredStore }> {
  const last = await store.restores.last();
  if (last === undefined || last.at <= since) return {};
  return { restored: { from: formatInstant(last.madeAt), at: formatInstant(last.at) } };
}

/** Returns facts about blocked people. Returns undefined for a read of named people: there is nothing to compare. */
function blockedFacts({ blocked }: PlanWork, { snapshot, last }: PlanRead): BlockedFacts | undefined {
  const cause = blocked.likelyCause(snapshot.rows);
  if (snapshot.kind === 'point' || cause === undefined) return undefined;
  const now = blockedBySource(blocked.counts());
  const before = blockedBySource(last?.blocked);
  const rows = { now: blocked.rows(), before: last?.blocked?.rows ?? before };
  return { now, before, rows, cause, isFull: snapshot.kind === 'full' };
}

/**
 * Returns whether a full read is stored: it proves absence, or would if an operator confirmed that it may be so short.
 */
function isStored({ kind, missing, isShrunk }: Snapshot): boolean {
  return kind === 'full' && (missing !== undefined || isShrunk === true);
}

/** Stores a full read that proves absence. It becomes the baseline for later reads if no guard doubts it. */
async function recordRead(
  work: PlanWork,
  read: PlanRead,
  { verdict, now }: { readonly verdict: GuardVerdict; readonly now: number },
  io: EngineIo,
): Promise<void> {
  const { context, planId, sync } = work;
  const { snapshot, fillRates, visibility } = read;
  if (context === undefined || !isStored(snapshot)) return;
  // Only approving this run accepts a doubted read. Changes that were approved earlier may be about something else.
  const proof = isReadDoubted(verdict) ? undefined : snapshot.missing;
  const isAccepted = proof !== undefined;
  if (isAccepted) {
    await writeRoster(work, read, proof, io);
    await writeDirectory(work, proof, io);
  }
  await io.store.reads.put(context.owned, {
    sync: sync.settings.name,
    run: planId,
    at: now,
    rows: snapshot.rows,
    stamp: snapshot.missing?.stamp ?? '',
    fillRates,
    visibility,
    blocked: blockedToStore(work),
    isAccepted,
  });
}

/** A person with one record needs no count of rows. */
function blockedToStore({ blocked }: PlanWork): StoredBlocked {
  const counts = blocked.counts();
  const rows = blocked.rows();
  return rows === blockedBySource(counts) ? counts : { ...counts, rows };
}
