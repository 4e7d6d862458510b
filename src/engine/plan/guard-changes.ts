import { chunk } from '../../core/batch.ts';
import { blockedBySource } from '../../core/blocked.ts';
import {
  type BlockedFacts,
  checkGuards,
  classNoun,
  type GuardVerdict,
  isReadDoubted,
  type RestoredStore,
} from '../../core/guard.ts';
import type { LedgerEntry } from '../../core/ledger.ts';
import type { Snapshot } from '../../core/snapshot.ts';
import type { Applier } from '../../ports/store.ts';
import { spanOn } from '../clock-span.ts';
import type { EngineIo, Sync } from '../engine-io.ts';
import type { PlanCompared } from './compare-people.ts';
import type { Decided } from './decide-changes.ts';
import { setDependentsAside } from './dependents.ts';
import { addExcessHandOvers } from './expected-hand-overs.ts';
import { holdLeftOut } from './hold-left-out.ts';
import type { PlanWork } from './plan-job.ts';
import type { PlanRead } from './read-people.ts';
import { settleDecisions } from './settle-decisions.ts';
import { writeDirectory } from './write-directory.ts';
import { writeRoster } from './write-roster.ts';

/** Changes of this time before a run count in its guards. */
export const guardWindowMs = 86_400_000;
const missesAtOnce = 1000;

/** The result of the fourth step. */
export interface Guarded extends GuardVerdict {
  /** Number of changes that were dropped because an operator rejected them. */
  readonly rejected: number;
  /** Why too many people are blocked, whether or not approving the run can accept that. */
  readonly doubt: string | undefined;
}

export interface GuardInput {
  readonly read: PlanRead;
  readonly compared: PlanCompared;
  readonly decided: Decided;
}

/** Removes approved and rejected changes, holds the excess, and records whether the read is accepted. */
export async function guardChanges(work: PlanWork, input: GuardInput, io: EngineIo): Promise<Guarded> {
  const { context, planId, spool } = work;
  const { name, guards } = work.sync.settings;
  const { snapshot, fillRates, vanished, last } = input.read;
  const owned = context?.owned;
  const now = io.clock.now();
  await addExcessHandOvers(work, input.decided.expected, input.compared, io);
  const { rejected } = await io.store.plans.applyApprovals(owned, planId, name, now);
  const leftOut = await holdLeftOut(work, io);
  const { open: classes } = await io.store.plans.count(planId);
  const recent = await io.store.plans.appliedSince(applierOf(work.sync, io), now - spanOn(io.clock, guardWindowMs));
  const restored = await restoredSince(now - spanOn(io.clock, guardWindowMs), io);
  const isFull = snapshot.kind === 'full';
  const { managed, enabled } = input.compared;
  const previous = isFull ? last : undefined;
  const { rows } = snapshot;
  const blocked = blockedFacts(work, input.read);
  const facts = { sync: name, classes, recent, managed, enabled, rows, fillRates, vanished, previous };
  const verdict = checkGuards({ ...facts, ...restored, ...(blocked === undefined ? {} : { blocked }) }, guards);
  for (const { class: held, reason } of verdict.holds) {
    const count = await io.store.plans.hold(owned, planId, [held], reason);
    io.logger.warn({ sync: name, class: held, count }, `held: ${classNoun[held]}s`);
  }
  for (const { field, reason } of verdict.fields) await io.store.plans.holdFields(owned, planId, [field], reason);
  await setDependentsAside(work, input.decided.waits, io);
  await recordRead(work, input.read, { verdict, now }, io);
  if (context !== undefined && !verdict.areMissesHeld) {
    for (const places of chunk(input.decided.misses, missesAtOnce)) {
      const entries = places.map((place) => JSON.parse(spool.read(place)) as LedgerEntry);
      await io.store.ledger.put(context.owned, entries);
    }
  }
  io.checkpoint('ledger-written');
  const isDoubted = isReadDoubted(verdict);
  const unresolved = input.compared.unresolved.blocked;
  await settleDecisions(work, { snapshot, unresolved, isDoubted, now }, io);
  const holds = [
    ...verdict.holds,
    ...leftOut.filter((left) => !verdict.holds.some((hold) => hold.class === left.class)),
  ];
  const reasons = new Set([...holds, ...verdict.fields].map(({ reason }) => reason));
  if (verdict.blocked !== undefined) {
    reasons.add(verdict.blocked);
    io.logger.warn({ sync: name, ...work.blocked.counts() }, 'held: too many people are blocked');
  }
  for (const message of reasons) work.findings.find({ code: 'held', message });
  // A read that proves no absence has no misses to hold, and nothing that an operator could approve.
  const areMissesHeld = snapshot.isShrunk === true || (snapshot.missing !== undefined && verdict.areMissesHeld);
  // A full read that is not stored cannot be accepted either. The run reports the reason and ends as partial.
  const isHeld = snapshot.kind !== 'full' || isStored(snapshot);
  const { blocked: doubt, ...others } = verdict;
  const held = isHeld && doubt !== undefined ? { blocked: doubt } : {};
  return { ...others, ...held, holds, areMissesHeld, rejected, doubt };
}

/**
 * Returns whose changes of the last day are counted. A sync that is no longer configured is a former name of a
 * configured one.
 */
export function applierOf({ settings }: Sync, io: EngineIo): Applier {
  const { name, connection } = settings;
  const all = [...io.syncs.values()].map((sync) => sync.settings);
  const others = all.filter((one) => one.connection === connection && one.name !== name);
  return { sync: name, connection, others: others.map((one) => one.name) };
}

/** Returns the fact of a restore since the instant, if there was one. */
async function restoredSince(since: number, { store }: EngineIo): Promise<{ readonly restored?: RestoredStore }> {
  const last = await store.restores.last();
  if (last === undefined || last.at <= since) return {};
  return { restored: { from: new Date(last.madeAt).toISOString(), at: new Date(last.at).toISOString() } };
}

/** Returns facts about blocked people. Returns undefined for a read of named people: there is nothing to compare. */
function blockedFacts({ blocked }: PlanWork, { snapshot, last }: PlanRead): BlockedFacts | undefined {
  const cause = blocked.likelyCause(snapshot.rows);
  if (snapshot.kind === 'point' || cause === undefined) return undefined;
  const now = blockedBySource(blocked.counts());
  return { now, before: blockedBySource(last?.blocked), cause, isFull: snapshot.kind === 'full' };
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
  const { context, planId, sync, blocked } = work;
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
    blocked: blocked.counts(),
    isAccepted,
  });
}
