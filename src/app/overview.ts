import { blockedKinds } from '../core/guard/blocked.ts';
import { createZoneDays, isTimeZone } from '../core/person/time-zone.ts';
import { personEvents } from '../core/plan/event.ts';
import { usageError } from '../core/run/errors.ts';
import { given } from '../core/run/given.ts';
import { zeros } from '../core/run/run.ts';
import { workersLease } from '../ports/leases.ts';
import type { AppliedCount, Counted, EndedCount, Streak } from '../ports/reports.ts';
import type { Batch, Run } from '../ports/store.ts';
import type {
  DaysReport,
  DayTotals,
  Overview,
  RunStep,
  SyncHealth,
  SyncOverview,
  WaitingWork,
} from '../views/overview.ts';
import type { SyncState } from '../views/syncs.ts';
import type { AppIo } from './app-io.ts';
import { storedName } from './find-named.ts';
import { isReadWaiting, partlyApproved } from './holds.ts';
import { summarizeLeavers } from './person/leavers.ts';
import { readRunWork } from './runs.ts';
import { readSyncStates } from './syncs.ts';

/** Reads health, state and holds of every configured sync from the store. */
export async function readOverview(io: AppIo): Promise<Overview> {
  const { store, clock } = io.engine;
  const now = clock.now();
  const [states, leavers, recent, unfinished, isDeploymentRunning, worker] = await Promise.all([
    readSyncStates(io),
    summarizeLeavers(io.engine),
    readRecent(io, now - dayMs),
    store.runs.unfinished(),
    io.isDeployed(),
    store.leases.holder(workersLease, now),
  ]);
  const syncs: SyncOverview[] = [];
  for (const state of states) {
    syncs.push({
      ...given({ leavers: leavers.find(({ sync }) => sync === state.name) }),
      ...(await overviewOf(
        state,
        unfinished.find(({ sync }) => sync === storedName(state.name, io.engine.syncs)),
        recent,
        io,
      )),
    });
  }
  const isQueued = io.checkRedis !== undefined;
  const workers = isQueued ? (worker === undefined ? 'none' : 'alive') : isDeploymentRunning ? 'in-process' : 'none';
  return {
    at: now,
    plainText: [...io.plainText],
    syncs,
    work: {
      isDeploymentRunning,
      deploymentSeenAt: await io.deploymentSeenAt(),
      workers,
      requests: syncs.reduce((sum, { requests }) => sum + requests, 0),
      runs: unfinished.length,
    },
  };
}

async function overviewOf(
  { waiting: requests, ...state }: SyncState,
  run: Run | undefined,
  recent: Recent,
  io: AppIo,
): Promise<SyncOverview> {
  const { store, clock } = io.engine;
  const now = clock.now();
  const stored = storedName(state.name, io.engine.syncs);
  const isOfSync = ({ sync }: Counted): boolean => sync === stored;
  const streak = await store.reports.streak(stored);
  const holds = await readWaiting(stored, state.lastRun, io);
  const step = run && (await readStep(run, io));
  const isWaiting = holds.changes + holds.reads + holds.expired.changes > 0;
  const kind =
    step !== undefined ? 'running' : isWaiting ? 'needs-approval' : requests > 0 ? ('waiting' as const) : 'idle';
  return {
    ...state,
    freshAt: streak.freshAt,
    health: healthOf(state, streak, io.staleBefore(state.name, now)),
    activity: { kind, run: step },
    holds,
    people: await readPeople(stored, io),
    lastDay: countRecent({ applied: recent.applied.filter(isOfSync), ended: recent.ended.filter(isOfSync) }),
    requests,
  };
}

/** Returns what the last accepted full read saw; undefined before there is one. */
async function readPeople(sync: string, { engine: { store } }: AppIo): Promise<SyncOverview['people']> {
  const read = await store.rosters.open(sync);
  const run = read && (await store.runs.get(read.run));
  const plan = run?.plan;
  if (read === undefined || plan === undefined) return undefined;
  const { matched, managedUsers, platformUsers, unmanaged = 0, outOfScope, noAccount, blocked } = plan;
  if (matched === undefined || managedUsers === undefined || platformUsers === undefined) return undefined;
  const reasons = blockedKinds.map((kind) => [kind, blocked[kind] ?? 0] as const);
  const skipped = [['out-of-scope', outOfScope], ['no-account', noAccount], ...reasons] as const;
  return {
    ...{ readAt: read.at, run: read.run, source: read.rows, owned: managedUsers },
    ...{ matched: matched + (run?.end?.created ?? 0), blocked: reasons.reduce((sum, [, some]) => sum + some, 0) },
    ...{ platform: platformUsers, unknown: unmanaged },
    skipped: Object.fromEntries(skipped.filter(([, people]) => people > 0)),
  };
}

interface Recent {
  readonly applied: readonly AppliedCount[];
  readonly ended: readonly EndedCount[];
}

/** Reads what happened in all syncs since an instant. */
async function readRecent({ engine: { store } }: Pick<AppIo, 'engine'>, since: number): Promise<Recent> {
  const [applied, ended] = await Promise.all([store.reports.applied(since), store.reports.ended(since)]);
  return { applied, ended };
}

function countRecent({ applied, ended }: Recent): DayTotals {
  const total = { runs: 0, failedRuns: 0, failed: 0, ...zeros(personEvents) };
  for (const { event, count } of applied) total[event] += count;
  for (const end of ended) {
    total.runs += end.count;
    total.failed += end.failed;
    if (isBadEnd(end)) total.failedRuns += end.count;
  }
  return total;
}

function isBadEnd({ outcome, isSuccess }: EndedCount): boolean {
  return !isSuccess && outcome !== 'cancelled';
}

/** Returns the health by the newest success and what followed it. */
function healthOf({ pause }: Pick<SyncState, 'pause'>, streak: Streak, staleBefore: number | undefined): SyncHealth {
  const { endedAt, successAt, failures, failingSince, lastFailure } = streak;
  const isStale = endedAt !== undefined && staleBefore !== undefined && (successAt ?? 0) < staleBefore;
  const facts = { ...lastFailure, failures, isStale, by: pause?.by, until: pause?.until };
  if (pause !== undefined) return { ...facts, state: 'paused', since: pause.pausedAt };
  if (endedAt === undefined) return { ...facts, state: 'never-ran', since: undefined };
  if (failures > 0) return { ...facts, state: 'failing', since: failingSince };
  if (isStale) return { ...facts, state: 'stale', since: successAt };
  return { ...facts, state: 'succeeding', since: successAt };
}

/** Counts what waits for an operator in one sync. `newest`: its newest run. */
async function readWaiting(sync: string, newest: Run | undefined, { engine }: AppIo): Promise<WaitingWork> {
  const { store, clock } = engine;
  const now = clock.now();
  const [open, expired] = await Promise.all([store.holds.open(sync, now), store.reports.expiredHolds(sync, now)]);
  const reads = newest !== undefined && (await isReadWaiting(newest, store)) ? 1 : 0;
  // A hold of which every change was decided stays open until the next run.
  const holds = open.changes === 0 ? [] : open.holds;
  const undecided = expired.changes === 0 ? [] : expired.holds;
  return {
    holds: holds.length,
    changes: open.changes,
    byClass: open.byClass,
    expired: { holds: undecided.length, changes: expired.changes },
    reads,
    heldAt: earliest([...holds, ...undecided].map(({ heldAt }) => heldAt)),
    expiresAt: earliest(holds.map(({ expiresAt }) => expiresAt)),
    approvals: await partlyApproved(sync, engine),
  };
}

function earliest(instants: readonly number[]): number | undefined {
  return instants.length === 0 ? undefined : Math.min(...instants);
}

/** Reads how far a run is and whether a process works on it, and estimates when it ends. */
async function readStep(run: Run, io: AppIo): Promise<RunStep> {
  const { id, phase, startedAt, problem, waiting, read } = run;
  const batches = await io.engine.store.batches.ofRun(id);
  const interrupted = (await readRunWork(run, batches, io))?.interrupted;
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
    etaMs: interrupted === undefined ? etaOf(done, total, spentMs) : undefined,
  };
}

function sizeOf(batches: readonly Batch[]): number {
  return batches.reduce((sum, { size }) => sum + size, 0);
}

/** Only what was delivered shows the pace of the rest. */
function etaOf(done: number, total: number, spentMs: number): number | undefined {
  return done === 0 || done >= total ? undefined : Math.round((spentMs / done) * (total - done));
}

const dayMs = 86_400_000;

interface DaysQuery {
  /** Number of days, today included. */
  readonly days: number;
  /** IANA name of the zone in which days begin. */
  readonly timezone: string;
}

/** Counts runs and applied changes of every configured sync by day. Throws `USAGE` for an unknown time zone. */
export async function countDays({ engine: io }: AppIo, { days: count, timezone }: DaysQuery): Promise<DaysReport> {
  if (!isTimeZone(timezone)) {
    throw usageError(`no time zone is called ${timezone}: use a name such as Europe/Madrid or UTC`);
  }
  const now = io.clock.now();
  const zone = createZoneDays();
  const dayOf = (at: number): string => zone.today(timezone, at) ?? '';
  const days = daysUpTo(dayOf(now), count);
  const first = days[0] ?? '';
  // A day begins at most 14 hours before, and 12 hours after, the day of UTC.
  const since = Date.parse(`${first}T00:00:00Z`) - dayMs;
  const recent = await readRecent({ engine: io }, since);
  const placeOf = ({ sync, at }: Counted): string => `${dayOf(at)} ${sync}`;
  const [applied, ended] = [Map.groupBy(recent.applied, placeOf), Map.groupBy(recent.ended, placeOf)];
  const syncs = [...io.syncs.keys()].map((name) => {
    const ofDay = (day: string) => {
      const place = `${day} ${storedName(name, io.syncs)}`;
      return { day, ...countRecent({ applied: applied.get(place) ?? [], ended: ended.get(place) ?? [] }) };
    };
    return { name, days: days.map(ofDay) };
  });
  return { timezone, days, syncs };
}

/** Returns plain dates in order, the last one included. */
function daysUpTo(last: string, count: number): readonly string[] {
  const end = Date.parse(`${last}T00:00:00Z`);
  return Array.from({ length: count }, (_, i) =>
    new Date(end - (count - 1 - i) * dayMs).toISOString().slice(0, 'YYYY-MM-DD'.length),
  );
}
