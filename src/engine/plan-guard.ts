import { chunk } from '../core/batch.ts';
import { checkGuards, classNoun, type GuardVerdict } from '../core/guard.ts';
import type { LedgerEntry } from '../core/ledger.ts';
import type { EngineIo } from './engine-io.ts';
import type { PlanCompared } from './plan-compare.ts';
import type { Decided } from './plan-decide.ts';
import type { PlanWork } from './plan-job.ts';
import type { PlanRead } from './plan-read.ts';
import { settleDecisions } from './settle-decisions.ts';
import { writeRoster } from './write-roster.ts';

const dayMs = 86_400_000;
const missesAtOnce = 1000;

/** The fourth step's result. */
export interface Guarded extends GuardVerdict {
  /** Changes that were dropped because a person rejected them. */
  readonly rejected: number;
}

export interface GuardInput {
  readonly read: PlanRead;
  readonly compared: PlanCompared;
  readonly decided: Decided;
}

/** Holds what is too much, after taking out what was approved or rejected, and records whether the read is accepted. */
export async function guardChanges(work: PlanWork, input: GuardInput, io: EngineIo): Promise<Guarded> {
  const { context, planId, spool } = work;
  const { name, guards } = work.sync.settings;
  const { snapshot, fillRates, vanished, last } = input.read;
  const owned = context?.owned;
  const now = io.clock.now();
  const { rejected } = await io.store.plans.applyApprovals(owned, planId, name, now);
  const { open: classes } = await io.store.plans.count(planId);
  const recent = await io.store.plans.appliedSince(name, now - dayMs);
  const isFull = snapshot.kind === 'full';
  const { managed } = input.compared;
  const previous = isFull ? last : undefined;
  const { rows } = snapshot;
  const verdict = checkGuards({ sync: name, classes, recent, managed, rows, fillRates, vanished, previous }, guards);
  for (const { class: held, reason } of verdict.holds) {
    const count = await io.store.plans.hold(owned, planId, [held], reason);
    io.logger.warn({ sync: name, class: held, count }, `held: ${classNoun[held]}s`);
  }
  for (const { field, reason } of verdict.fields) await io.store.plans.holdFields(owned, planId, [field], reason);
  await recordRead(work, input.read, { verdict, now }, io);
  if (context !== undefined && !verdict.areMissesHeld) {
    for (const places of chunk(input.decided.misses, missesAtOnce)) {
      const entries = places.map((place) => JSON.parse(spool.read(place)) as LedgerEntry);
      await io.store.ledger.put(context.owned, entries);
    }
  }
  io.checkpoint('ledger-written');
  const isDoubted = verdict.areMissesHeld || verdict.fields.length > 0;
  const unresolved = input.compared.unresolved.blocked;
  await settleDecisions(work, { snapshot, unresolved, isDoubted, now }, io);
  const reasons = new Set([...verdict.holds, ...verdict.fields].map(({ reason }) => reason));
  for (const message of reasons) work.findings.find({ code: 'held', message });
  // A read that proves nothing about absence has no misses to hold, and nothing in it for a person to approve.
  const areMissesHeld = snapshot.isShrunk === true || (snapshot.missing !== undefined && verdict.areMissesHeld);
  return { ...verdict, areMissesHeld, rejected };
}

/** Stores a full read that proves something. It becomes the measure for the next ones if no guard doubts it. */
async function recordRead(
  work: PlanWork,
  read: PlanRead,
  { verdict, now }: { readonly verdict: GuardVerdict; readonly now: number },
  io: EngineIo,
): Promise<void> {
  const { context, planId, sync } = work;
  const { snapshot, fillRates, visibility } = read;
  const isProven = snapshot.missing !== undefined;
  if (context === undefined || snapshot.kind !== 'full' || !(isProven || snapshot.isShrunk === true)) return;
  // Only approving this run accepts a doubted read: changes approved earlier may be about something else.
  const isAccepted = isProven && !verdict.areMissesHeld && verdict.fields.length === 0;
  if (isAccepted) await writeRoster(work, read, io);
  await io.store.reads.put(context.owned, {
    sync: sync.settings.name,
    run: planId,
    at: now,
    rows: snapshot.rows,
    stamp: snapshot.missing?.stamp ?? '',
    fillRates,
    visibility,
    isAccepted,
  });
}
