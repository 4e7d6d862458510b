import { blockedKinds } from '../core/guard/blocked.ts';
import { createZoneDays, isTimeZone } from '../core/person/time-zone.ts';
import { personEvents } from '../core/plan/event.ts';
import { usageError } from '../core/run/errors.ts';
import { given } from '../core/run/given.ts';
import { zeros } from '../core/run/run.ts';
import { noHolds } from '../ports/decisions.ts';
import { deploymentLease, workersLease } from '../ports/leases.ts';
import type { AppliedCount, Counted, EndedCount, LastRead, SyncStanding } from '../ports/reports.ts';
import type { Batch, Run } from '../ports/store.ts';
import type { EngineIo } from '../run/engine-io.ts';
import type {
  DaysReport,
  DayTotals,
  Overview,
  RunStep,
  SyncHealth,
  SyncOverview,
  WaitingWork,
} from '../views/overview.ts';
import type { SyncView } from '../views/syncs.ts';
import type { AppIo } from './app-io.ts';
import { storedName, storedNames } from './find-named.ts';
import { toPartApproval } from './holds.ts';
import { summarizeLeavers } from './person/leavers.ts';
import { readRunLeases, readRunWork } from './runs.ts';
import { readStandings, syncState } from './syncs.ts';

/** What the store has about all syncs, read with as many statements for any number of them. */
type Found = Awaited<ReturnType<typeof readFound>>;

async function readFound(io: AppIo) {
  const { store, clock, approvals } = io.engine;
  const now = clock.now();
  const names = storedNames(io.engine.syncs);
  const standings = await readStandings(io);
  const newest = [...standings.values()].flatMap((standing) => standing.newest ?? []);
  const open = newest.filter(({ endedAt }) => endedAt === undefined).map(({ id }) => id);
  const [leavers, recent, holds, approved, lastReads, batches, holders] = await Promise.all([
    summarizeLeavers(io.engine),
    readRecent(io.engine, now - dayMs),
    store.holds.open(names, now),
    approvals === undefined ? [] : store.decisions.given(names, now),
    store.reports.lastReads(),
    store.batches.ofRuns(open),
    readRunLeases(open, io),
  ]);
  return { standings, open, leavers, recent, holds, approved, lastReads, batches, holders };
}

/** Reads health, state and holds of every configured sync from the store. */
export async function readOverview(io: AppIo): Promise<Overview> {
  const now = io.engine.clock.now();
  const found = await readFound(io);
  const syncs = io.syncs.map((view) => overviewOf(view, found, io));
  const isHeld = (lease: string): boolean => (found.holders.get(lease)?.until ?? 0) > now;
  const isDeploymentRunning = isHeld(deploymentLease);
  const isQueued = io.checkRedis !== undefined;
  const workers = isQueued ? (isHeld(workersLease) ? 'alive' : 'none') : isDeploymentRunning ? 'in-process' : 'none';
  return {
    at: now,
    plainText: [...io.plainText],
    syncs,
    work: {
      isDeploymentRunning,
      deploymentSeenAt: await io.deploymentSeenAt(),
      workers,
      requests: syncs.reduce((sum, { requests }) => sum + requests, 0),
      runs: found.open.length,
    },
  };
}

function overviewOf(view: SyncView, found: Found, io: AppIo): SyncOverview {
  const { waiting: requests, ...state } = syncState(view, found.standings, io);
  const stored = storedName(view.name, io.engine.syncs);
  const standing = found.standings.get(stored);
  const holds = waitingOf(stored, found);
  const { lastRun } = state;
  const step = lastRun !== undefined && lastRun.endedAt === undefined ? stepOf(lastRun, found, io) : undefined;
  const isOfSync = ({ sync }: Counted): boolean => sync === stored;
  const [applied, ended] = found.recent;
  const isWaiting = holds.changes + holds.reads + holds.expired.changes > 0;
  const kind =
    step !== undefined ? 'running' : isWaiting ? 'needs-approval' : requests > 0 ? ('waiting' as const) : 'idle';
  return {
    ...state,
    ...given({ leavers: found.leavers.find(({ sync }) => sync === view.name) }),
    health: healthOf(standing, io.staleBefore(view.name, io.engine.clock.now())),
    activity: { kind, run: step },
    holds,
    people: peopleOf(found.lastReads.get(stored)),
    lastDay: countRecent(applied.filter(isOfSync), ended.filter(isOfSync)),
    requests,
  };
}

/** Returns what the last accepted full read saw; undefined before there is one. */
function peopleOf(read: LastRead | undefined): SyncOverview['people'] {
  const plan = read?.plan;
  if (read === undefined || plan === undefined) return undefined;
  const { matched, managedUsers, platformUsers, unmanaged = 0, outOfScope, noAccount, blocked } = plan;
  if (matched === undefined || managedUsers === undefined || platformUsers === undefined) return undefined;
  const reasons = blockedKinds.map((kind) => [kind, blocked[kind] ?? 0] as const);
  const skipped = [['out-of-scope', outOfScope], ['no-account', noAccount], ...reasons] as const;
  return {
    ...{ readAt: read.at, run: read.run, source: plan.people ?? read.rows, owned: managedUsers + read.created },
    ...{ matched: matched + read.created, blocked: reasons.reduce((sum, [, some]) => sum + some, 0) },
    ...{ platform: platformUsers + read.created, unknown: unmanaged },
    skipped: Object.fromEntries(skipped.filter(([, people]) => people > 0)),
  };
}

/** Reads what happened in all syncs since an instant. */
function readRecent({ store }: EngineIo, since: number) {
  return Promise.all([store.reports.applied(since), store.reports.ended(since)]);
}

function countRecent(applied: readonly AppliedCount[], ended: readonly EndedCount[]): DayTotals {
  const total = { runs: 0, failedRuns: 0, failed: 0, ...zeros(personEvents) };
  for (const { event, count } of applied) total[event] += count;
  for (const end of ended) {
    total.runs += end.count;
    total.failed += end.failed;
    if (!end.isSuccess && end.outcome !== 'cancelled') total.failedRuns += end.count;
  }
  return total;
}

/** Returns the health by the newest success and what followed it. */
function healthOf(standing: SyncStanding | undefined, staleBefore: number | undefined): SyncHealth {
  const { pause, endedAt, successAt, failures = 0, failingSince, lastFailure } = standing ?? {};
  const isStale = endedAt !== undefined && staleBefore !== undefined && (successAt ?? 0) < staleBefore;
  const facts = {
    ...{ run: undefined, outcome: undefined, reason: undefined, ...lastFailure },
    ...{ failures, isStale, by: pause?.by, until: pause?.until },
  };
  if (pause !== undefined) return { ...facts, state: 'paused', since: pause.pausedAt };
  if (endedAt === undefined) return { ...facts, state: 'never-ran', since: undefined };
  if (failures > 0) return { ...facts, state: 'failing', since: failingSince };
  if (isStale) return { ...facts, state: 'stale', since: successAt };
  return { ...facts, state: 'succeeding', since: successAt };
}

/** Counts what waits for an operator in one sync. */
function waitingOf(sync: string, { standings, holds: all, approved }: Found): WaitingWork {
  const { changes, byClass, expired, ...open } = all.get(sync) ?? noHolds;
  const { newest, acceptedAt = Number.NEGATIVE_INFINITY } = standings.get(sync) ?? {};
  // A hold of which every change was decided stays open until the next run.
  const holds = changes === 0 ? [] : open.holds;
  const undecided = expired.changes === 0 ? [] : expired.holds;
  return {
    holds: holds.length,
    changes,
    byClass,
    expired: { holds: undecided.length, changes: expired.changes },
    reads: newest?.plan?.isReadDoubted === true && acceptedAt < newest.startedAt ? 1 : 0,
    heldAt: earliest([...holds, ...undecided].map(({ heldAt }) => heldAt)),
    expiresAt: earliest(holds.map(({ expiresAt }) => expiresAt)),
    approvals: approved.filter((one) => one.sync === sync).map(toPartApproval),
  };
}

function earliest(instants: readonly number[]): number | undefined {
  return instants.length === 0 ? undefined : Math.min(...instants);
}

/** Returns how far a run is and whether a process works on it, and estimates when it ends. */
function stepOf(run: Run, { batches: all, holders }: Found, io: AppIo): RunStep {
  const { id, phase, startedAt, problem, waiting, read } = run;
  const batches = all.filter((batch) => batch.run === id);
  const interrupted = readRunWork(run, batches, holders, io)?.interrupted;
  const step = { run: id, phase, startedAt, interrupted, problem, waiting };
  const isSending = phase === 'delivering' || phase === 'proving';
  if (!isSending || batches.length === 0) {
    return { ...step, changes: undefined, batches: undefined, etaMs: undefined };
  }
  const open = batches.filter(({ state }) => state !== 'settled');
  // The rows of a split batch are also in its parts.
  const total = sizeOf(batches.filter(({ parent }) => parent === undefined));
  const done = Math.max(0, total - sizeOf(open));
  const spentMs = io.engine.clock.now() - (read?.at ?? startedAt);
  return {
    ...step,
    changes: { done, total },
    batches: { done: batches.length - open.length, total: batches.length },
    // Only what was delivered shows the pace of the rest.
    etaMs:
      interrupted !== undefined || done === 0 || done >= total
        ? undefined
        : Math.round((spentMs / done) * (total - done)),
  };
}

function sizeOf(batches: readonly Batch[]): number {
  return batches.reduce((sum, { size }) => sum + size, 0);
}

const dayMs = 86_400_000;

/**
 * Counts runs and applied changes of every configured sync by day, which begins in a zone (IANA): the last `count` days, today
 * included. Throws `USAGE` for an unknown time zone.
 */
export async function countDays({ engine: io }: AppIo, count: number, timezone: string): Promise<DaysReport> {
  if (!isTimeZone(timezone)) {
    throw usageError(`no time zone is called ${timezone}: use a name such as Europe/Madrid or UTC`);
  }
  const now = io.clock.now();
  const zone = createZoneDays();
  const dayOf = (at: number): string => zone.today(timezone, at) ?? '';
  const last = Date.parse(`${dayOf(now)}T00:00:00Z`);
  const starts = Array.from({ length: count }, (_, i) => last - (count - 1 - i) * dayMs);
  const days = starts.map((start) => new Date(start).toISOString().slice(0, 'YYYY-MM-DD'.length));
  // A day begins at most 14 hours before, and 12 hours after, the day of UTC.
  const since = (starts[0] ?? last) - dayMs;
  const recent = await readRecent(io, since);
  const placeOf = ({ sync, at }: Counted): string => `${dayOf(at)} ${sync}`;
  const [applied, ended] = [Map.groupBy(recent[0], placeOf), Map.groupBy(recent[1], placeOf)];
  const syncs = [...io.syncs.keys()].map((name) => {
    const ofDay = (day: string) => {
      const place = `${day} ${storedName(name, io.syncs)}`;
      return { day, ...countRecent(applied.get(place) ?? [], ended.get(place) ?? []) };
    };
    return { name, days: days.map(ofDay) };
  });
  return { timezone, days, syncs };
}
