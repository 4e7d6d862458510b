import { ruledClasses } from '../../core/guard/approvals.ts';
import type { RestoredStore } from '../../core/guard/guard.ts';
import {
  mayExceed,
  openSegmentCounts,
  type SegmentCounts,
  type SegmentDisable,
  segmentsToHold,
} from '../../core/guard/segments.ts';
import type { FieldName } from '../../core/person/fields.ts';
import type { Person } from '../../core/person/person.ts';
import { otherOrder, utcDate } from '../../core/person/plain-date.ts';
import { type ChangeClass, isFreezable } from '../../core/plan/change.ts';
import { leftOutOf } from '../../core/plan/decision.ts';
import { countOf, formatInstant, frozenReason } from '../../core/run/formats.ts';
import type { Hold } from '../../core/run/run.ts';
import type { Applier, PlannedChange } from '../../ports/store.ts';
import { spanOn } from '../clock-span.ts';
import type { PlanCompared } from '../compare/compare-people.ts';
import { addExcessHandOvers } from '../compare/expected-hand-overs.ts';
import type { Decided } from '../decide/decide-changes.ts';
import type { EngineIo, Sync } from '../engine-io.ts';
import { changesOf } from '../plan-changes.ts';
import type { PlanWork } from '../plan-job.ts';
import type { PlanRead } from '../read/read-people.ts';
import type { PlanCounts } from './judge.ts';

/** Completes the plan, marks what operators approved, and counts what the guards look at. */
export async function countChanges(
  work: PlanWork,
  { read, decided, compared }: { readonly read: PlanRead; readonly decided: Decided; readonly compared: PlanCompared },
  io: EngineIo,
): Promise<PlanCounts> {
  const { recorder, sync } = work;
  await addExcessHandOvers(work, decided.expected, compared);
  const frozen = await freezeChanges(work, io);
  // An approval that comes later is for the run that it requests.
  if (decided.hasApprovals) await recorder.applyApprovals();
  const { rejected, leftOut } = decided;
  const left = leftOut === 0 ? [] : await leftOutByClass(work, io);
  const held = [
    ...left,
    ...(await holdByColumn(work, { read, decided }, io)),
    ...(await holdBySegment(work, compared, io)),
  ];
  const { open, beside } = await io.store.plans.count(recorder.planId);
  // A guard looks at the day before only beside a change.
  const isEmpty = Object.values(open).every((count) => count === 0);
  const recent = isEmpty ? open : await appliedInWindow(sync, io);
  return {
    open,
    beside: withInstead(beside, decided.differing.insteadClasses),
    rejected,
    leftOut: held,
    frozen,
    recent,
    ruled: io.approvals === undefined ? [] : ruledClasses(open, recent, io.approvals),
    restored: isEmpty ? {} : await restoredSince(guardWindowStart(io), io),
  };
}

/** Adds the changes that are made while the class `configuration` is held to the counts of the others. */
function withInstead(beside: PlanCounts['beside'], instead: ReadonlyMap<ChangeClass, number>): PlanCounts['beside'] {
  const more = [...instead].map(([name, count]) => [name, beside[name] + count]);
  return { ...beside, ...Object.fromEntries(more) };
}

/**
 * Drops the disables and removes of a plan that is made during a freeze. The first run after it plans them again. They
 * stay in the plan, so decisions about them last. Approvals are not used up.
 */
async function freezeChanges({ recorder, sync, findings }: PlanWork, io: EngineIo): Promise<PlanCounts['frozen']> {
  const until = sync.frozenUntil?.(io.clock.now());
  if (until === undefined) return undefined;
  const names: string[] = [];
  for await (const { kind, identification } of changesOf(recorder.planId, io, { states: ['planned', 'held'] })) {
    if (isFreezable(kind)) names.push(identification);
  }
  await recorder.setAside(names, { state: 'dropped', reason: frozenReason(until) });
  const what = `${countOf(names.length, 'disable or remove waits', 'disables and removes wait')}`;
  const message = `${what} for the end of the freeze at ${formatInstant(until)}: the first run after it makes them`;
  if (names.length > 0) findings.find({ code: 'frozen', message });
  return { count: names.length, until };
}

const datesAdvice = 'Correct the export, or lifecycle.dateFormat';

/** Holds what rests on a first or last day of work in a column in doubt. */
async function holdByColumn(
  work: PlanWork,
  { read, decided }: { readonly read: PlanRead; readonly decided: Decided },
  io: EngineIo,
): Promise<readonly Hold[]> {
  return [
    ...(await holdLeavers(work, read)),
    ...(await holdJoiners(work, { columns: read.columns, classes: decided.classes }, io)),
  ];
}

/**
 * Holds creates and enables of people who have not begun if day and month are exchanged, and of those who lost their
 * first day of work: the last accepted read showed them as not yet begun, or could not judge them.
 */
async function holdJoiners(
  { recorder, index, roster, sync }: PlanWork,
  { columns: { hireOrder, leaveDate }, classes }: Pick<PlanRead, 'columns'> & Pick<Decided, 'classes'>,
  io: EngineIo,
): Promise<readonly Hold[]> {
  const { name, lifecycle, mapping } = sync.settings;
  const isJudged = lifecycle?.hireDate !== undefined;
  // A source that derives the status from the first day shows that day in this field.
  const isMapped = mapping.fields.orgEntryDate !== undefined;
  if (!isJudged && !isMapped) return [];
  const isUndated = ({ hires, fields: { orgEntryDate = '' } }: Person): boolean =>
    (isJudged && hires === undefined) || (isMapped && orgEntryDate === '');
  // The last days have the format of the first days, so a doubt about their order is one about both.
  const doubt = hireOrder ?? leaveDate;
  const holds: Hold[] = [];
  for (const held of ['creates', 'enables'] as const) {
    if (!classes.has(held)) continue;
    const early: string[] = [];
    const undated: string[] = [];
    for await (const { identification } of changesOf(recorder.planId, io, { states: ['planned'], classes: [held] })) {
      const { slot } = index.find(identification);
      const person = slot === -1 ? undefined : index.person(slot);
      if (person?.kind !== 'person') continue;
      if (isUndated(person)) undated.push(identification);
      if (doubt !== undefined && person.hiresLater === true) early.push(identification);
    }
    const known = undated.length === 0 ? undefined : await roster?.people(undated);
    const lost = undated.filter((one) => known?.get(one)?.some((entry) => entry.isExact && entry.standing === 'other'));
    const swapped = { names: early, reason: `the first days of work look wrong: ${doubt}. ${datesAdvice}` };
    for (const { names, reason } of [{ names: lost, reason: lostDay }, swapped]) {
      const count = names.length === 0 ? 0 : await recorder.holdSome({ names, class: held }, reason);
      if (count > 0) holds.push({ sync: name, class: held, reason, count });
    }
  }
  return holds;
}

const lostDay =
  'people without a first day of work had not begun in the last accepted read. Correct the source, or approve them if they have begun';

/**
 * Holds the disables that rest on a last day of work in a column in doubt: all, or where only the order of day and month
 * is in doubt, those of a day that would not have passed. A person whose date is as in the last accepted read leaves as
 * usual.
 */
async function holdLeavers(
  { recorder, index, roster, sync }: PlanWork,
  { columns: { leaveDate, leaveOrder }, readAt }: PlanRead,
): Promise<readonly Hold[]> {
  const doubt = leaveDate ?? leaveOrder;
  if (doubt === undefined) return [];
  const today = utcDate(readAt);
  const isInDoubt = ({ leaves = '' }: Person): boolean =>
    leaveDate !== undefined || (otherOrder(leaves) ?? '') >= today;
  const leavers = index.leaversByDate().filter(isInDoubt);
  if (leavers.length === 0) return [];
  const known = await roster?.people(leavers.map(({ identification }) => identification));
  const changed = leavers.filter(({ identification, leaves }) => {
    return known?.get(identification)?.some((entry) => entry.isExact && entry.leaves === leaves) !== true;
  });
  const reason = `the last days of work look wrong: ${doubt}. ${datesAdvice}`;
  const names = changed.map(({ identification }) => identification);
  const count = await recorder.holdSome({ names, class: 'disables' }, reason);
  return count === 0 ? [] : [{ sync: sync.settings.name, class: 'disables', reason, count }];
}

/** Holds the disables of segments that lose too many people in 24 hours. The others continue. */
async function holdBySegment(
  { recorder, sync, signal }: PlanWork,
  { segments }: PlanCompared,
  io: EngineIo,
): Promise<readonly Hold[]> {
  const { name, guards } = sync.settings;
  const { segments: fields = [] } = guards;
  if (fields.length === 0) return [];
  const open: SegmentDisable[] = [];
  for await (const change of changesOf(recorder.planId, io, { states: ['planned'], classes: ['disables'] })) {
    if (!change.isApproved) open.push(segmentDisable(change));
  }
  const since = guardWindowStart(io);
  const recent = (await io.store.plans.disabledSince(applierOf(sync, io), since)).map(segmentDisable);
  if (open.length === 0 || !mayExceed({ fields, open, recent })) return [];
  const managed = segments ?? (await countSegments(fields, sync, signal, io));
  const found = segmentsToHold({ fields, open, recent, managed });
  for (const { names, reason } of found) await recorder.holdSome({ names, class: 'disables' }, reason);
  const count = new Set(found.flatMap(({ names }) => names)).size;
  const reason = found.map((one) => one.reason).join('; ');
  return count === 0 ? [] : [{ sync: name, class: 'disables', reason, count }];
}

function segmentDisable({ identification, before }: PlannedChange): SegmentDisable {
  return { identification, fields: before?.fields ?? {} };
}

/** Counts the enabled managed users by segment, where the plan has read only a few people. */
async function countSegments(
  fields: readonly FieldName[],
  { settings, platform }: Sync,
  signal: AbortSignal,
  io: EngineIo,
): Promise<SegmentCounts> {
  const owned = new Set<string>();
  for await (const entries of io.store.ledger.all(settings.connection)) {
    for (const { owner, removed, identification } of entries) {
      if (owner === settings.name && removed === undefined) owned.add(identification);
    }
  }
  const { counts, add } = openSegmentCounts(fields);
  for await (const { users } of platform.scan(signal)) {
    for (const user of users) if (user.enabled && owned.has(user.identification)) add(user.fields);
  }
  return counts;
}

/**
 * Returns by class the changes that an operator left out of an approval or rejection. They are held: being few, they
 * would pass the guard that held them.
 */
async function leftOutByClass({ recorder, sync }: PlanWork, io: EngineIo): Promise<readonly Hold[]> {
  const { name } = sync.settings;
  const counts = new Map<ChangeClass, number>();
  const reasons = new Map<ChangeClass, string>();
  for await (const { classes, stateReason, isLeftOut } of changesOf(recorder.planId, io, { states: ['held'] })) {
    for (const one of classes) {
      counts.set(one, (counts.get(one) ?? 0) + 1);
      if (stateReason !== undefined && !isLeftOut) reasons.set(one, stateReason);
    }
  }
  const open = new Map((await io.store.holds.listOpen(name)).map((hold) => [hold.class, hold]));
  return [...counts].map(([one, count]) => {
    const reason = reasons.get(one);
    const heldBefore = open.get(one)?.heldBefore ?? open.get(one)?.reason ?? '';
    if (reason !== undefined) return { sync: name, class: one, reason, count };
    return { sync: name, class: one, reason: leftOutOf(heldBefore), heldBefore, count };
  });
}

/** Returns the fact of a restore since the instant, if there was one. */
async function restoredSince(since: number, { store }: EngineIo): Promise<{ readonly restored?: RestoredStore }> {
  const last = await store.restores.last();
  if (last === undefined || last.at <= since) return {};
  return { restored: { from: formatInstant(last.madeAt), at: formatInstant(last.at) } };
}

/** Changes of this time before a run count in its guards. */
const guardWindowMs = 86_400_000;

/** Returns when the time began whose changes count in the guards now (epoch ms). */
function guardWindowStart({ clock }: Pick<EngineIo, 'clock'>): number {
  return clock.now() - spanOn(clock, guardWindowMs);
}

/** Counts the changes that the guards of a sync count beside those of a new plan. */
export function appliedInWindow(sync: Sync, io: EngineIo): Promise<Readonly<Record<ChangeClass, number>>> {
  return io.store.plans.appliedSince(applierOf(sync, io), guardWindowStart(io));
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
