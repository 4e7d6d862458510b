import type { BlockedCounts } from '../../core/guard/blocked.ts';
import { PlanDigest } from '../../core/plan/change.ts';
import { type AccessTrouble, noPlan, type PlanFacts } from '../../core/run/facts.ts';
import { mergeAlike } from '../../core/run/finding.ts';
import { given } from '../../core/run/given.ts';
import type { PlannedChange } from '../../ports/store.ts';
import type { PlanCompared } from '../compare/compare-people.ts';
import type { Decided } from '../decide/decide-changes.ts';
import { editFact } from '../edit.ts';
import type { EngineIo } from '../engine-io.ts';
import { isConfigurationHeld, type Judged } from '../judge/judge.ts';
import { fewChanges } from '../plan-changes.ts';
import type { Plan, PlanWork } from '../plan-job.ts';
import type { PlanRead } from '../read/read-people.ts';
import { noteLeavers, noteUncompared } from './note-leavers.ts';

/** The results of all steps of a plan. */
export interface Planned {
  readonly read: PlanRead;
  readonly compared: PlanCompared;
  readonly decided: Decided;
  readonly judged: Judged;
}

/** Seals the plan with the digest of its changes. */
export async function sealPlan(
  work: PlanWork,
  { read, compared, decided, judged }: Planned,
  io: EngineIo,
): Promise<Plan> {
  const { snapshot, reading, usable, fact } = read;
  const { verdict, rejected, ruled, frozen, doubt, isReadDoubted } = judged;
  const { missing, needsFull, repeated, respectedEdits, notUndone, createsWait, undone } = decided;
  // A delta without a usable record may come from a permission that was missing for a short time. Its people are read
  // again.
  const unusable = reading.kind === 'delta' && usable === 0 ? work.index.size : 0;
  const isFull = snapshot.kind === 'full';
  const facts: PlanFacts = {
    sourceRows: snapshot.rows,
    platformUsers: compared.users,
    managedUsers: compared.managed,
    unchanged: compared.quiet.unchanged + decided.quiet.unchanged,
    outOfScope: compared.quiet.outOfScope + decided.quiet.outOfScope,
    noAccount: compared.quiet.noAccount + decided.quiet.noAccount,
    blocked: blockedCounts(work, compared),
    missing: missing.count,
    orphans: compared.orphans,
    sourceLookups: compared.lookups,
    postponed: compared.postponed + decided.postponed + compared.unconfirmed + unusable,
    createsWait,
    needsFull,
    rejected,
    undone,
    ruled: ruled.map((one) => one.class),
    ...editFact(work.edit, decided.differing, isConfigurationHeld(verdict)),
    isFirstConfiguration: isFull && work.baseline.accepted === undefined,
    repeated,
    respectedEdits,
    notUndone,
    isReadDoubted,
    access: accessTrouble(work, read, decided),
    sourceGaps: snapshot.gaps,
    unknownPeople: read.unknown.length,
    ...given({
      pageSize: compared.pageSize,
      people: isFull ? work.index.directoryEntries().length / 4 : undefined,
      matched: isFull ? work.index.countMatched() : undefined,
      unmanaged: compared.unmanaged,
      waitsFor: waitsFor(compared),
      missingWait: verdict.areMissesHeld ? undefined : missing.wait,
      frozen: frozen?.count === 0 ? undefined : frozen,
      doubt: doubt ?? verdict.column ?? verdict.fields[0]?.reason,
    }),
  };
  const sealed = await seal(work, io);
  const findings = work.findings.all();
  const delivery = { lookedAt: compared.lookedAt, lookTookMs: compared.lookTookMs };
  const corrections = work.recorder.corrections(work.index, snapshot);
  const leavers = noteLeavers(work, { read, compared, judged }, io);
  const noted = { findings, corrections, leavers };
  const plan = { id: work.recorder.planId, ...sealed, ...noted, read: fact, facts, delivery, verdict };
  return { ...plan, failure: undefined };
}

/**
 * Counts the blocked people. Unresolved ones count for the sync that sent their changes, and for those that have them too.
 */
function blockedCounts({ blocked }: PlanWork, { waits }: PlanCompared): BlockedCounts {
  return { ...blocked.counts(), ...(waits.length === 0 ? {} : { unresolved: waits.length }) };
}

/** Returns whose changes have an unknown outcome, and when the last of these waits ends. */
function waitsFor({ waits }: PlanCompared): PlanFacts['waitsFor'] {
  if (waits.length === 0) return undefined;
  const ends = waits.flatMap(({ until }) => (until === undefined ? [] : [until]));
  const until = ends.length === waits.length ? Math.max(...ends) : undefined;
  return { runs: [...new Set(waits.map(({ run }) => run))], ...given({ until }) };
}

function accessTrouble({ blocked }: PlanWork, { snapshot }: PlanRead, { access }: Decided): AccessTrouble {
  if (access.keep + access.lack === 0) return access;
  return { ...access, ...given({ cause: blocked.likelyCause(snapshot.rows) }) };
}

/** Seals a plan without changes, for a read that no plan can be made from. */
export async function sealEmptyPlan(work: PlanWork, read: PlanRead, failure: string, io: EngineIo): Promise<Plan> {
  const { snapshot, vanished, fact } = read;
  await work.recorder.begin();
  const cause = vanished.length > 0 ? undefined : work.blocked.likelyCause(snapshot.rows);
  const causes = [
    ...mergeAlike(vanished.map(({ reason: message }) => ({ message }))).map(({ message }) => message),
    ...snapshot.gaps,
    ...(cause === undefined ? [] : [cause]),
  ].join('; ');
  return {
    id: work.recorder.planId,
    ...(await seal(work, io)),
    findings: work.findings.all(),
    corrections: work.recorder.corrections(work.index, snapshot),
    read: fact,
    facts: { ...noPlan, sourceRows: snapshot.rows, blocked: work.blocked.counts(), sourceGaps: snapshot.gaps },
    delivery: undefined,
    verdict: { holds: [], fields: [], areMissesHeld: false },
    leavers: await noteUncompared(work, read, io),
    failure: `${failure}: nothing was changed. ${causes}`.trim(),
  };
}

async function seal({ recorder }: PlanWork, io: EngineIo): Promise<Pick<Plan, 'digest' | 'few'>> {
  const { planId } = recorder;
  const all = await fewChanges(planId, io);
  const hashes = all.few === undefined ? io.store.plans.hashes(planId) : hashesOf(all.few);
  const open = new PlanDigest();
  for await (const hash of hashes) open.add(hash);
  const digest = open.end();
  await recorder.seal(digest);
  return { digest, ...all };
}

/** Returns what `Plans.hashes` does. */
function hashesOf(changes: readonly PlannedChange[]): readonly string[] {
  const isOpen = ({ state, isApproved }: PlannedChange): boolean =>
    !isApproved && (state === 'planned' || state === 'held');
  return changes.filter(isOpen).map(({ hash }) => hash);
}
