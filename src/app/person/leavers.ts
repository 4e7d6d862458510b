import {
  type JudgedLeaver,
  judgeLeaver,
  type LeaverFacts,
  type LeaverKept,
  type LeaverSurroundings,
  leaverRules,
  undecidedCodes,
} from '../../core/plan/leavers.ts';
import { given } from '../../core/run/given.ts';
import { defaultLeaverTarget } from '../../core/run/settings.ts';
import { waitingWords } from '../../core/run/waiting.ts';
import { deploymentLease, workersLease } from '../../ports/leases.ts';
import type { Run } from '../../ports/store.ts';
import type { EngineIo, Sync } from '../../run/engine-io.ts';
import type { LeaversReport, LeaversSummary } from '../../views/leavers.ts';
import type { AppIo } from '../app-io.ts';
import { findSync, storedName } from '../find-named.ts';

const dayMs = 86_400_000;
/** How long a leaver is listed after the end of the clock. */
const listedMs = 30 * dayMs;
const recentRuns = 20;

/** What tells whether and when a run begins automatically. */
interface WorkIo {
  readonly nextSlot: AppIo['nextSlot'];
  readonly hasWorkers: boolean;
}

export interface LeaversQuery {
  readonly sync?: string;
  /** Any of these. */
  readonly syncs?: readonly string[];
  /** Only those whose target ends by the end of today (UTC), or within a week. */
  readonly due?: 'today' | 'week';
  readonly late?: boolean;
}

/** Lists the stated leavers of the syncs, those due first. Throws `USAGE` for an unknown sync. */
export async function listLeavers(app: AppIo, { sync, syncs, due, late }: LeaversQuery): Promise<LeaversReport> {
  const { engine } = app;
  if (sync !== undefined) findSync(sync, engine.syncs);
  const names = [...engine.syncs.keys()].filter((name) => (sync ?? name) === name && syncs?.includes(name) !== false);
  const work = { nextSlot: app.nextSlot, hasWorkers: app.checkRedis !== undefined };
  const all = (await Promise.all(names.map((name) => readLeavers(name, engine, work)))).flat();
  const at = engine.clock.now();
  const until = due === 'week' ? at + 7 * dayMs : endOfToday(at);
  const isMeant = ({ state, dueAt, lateMs }: JudgedLeaver): boolean => {
    if (late === true && lateMs === 0) return false;
    return due === undefined || ((state === 'counting' || state === 'late' || state === 'future') && dueAt <= until);
  };
  const leavers = all.filter(isMeant).toSorted((a, b) => rank(a) - rank(b) || a.dueAt - b.dueAt);
  const summaries = await summarizeLeavers(engine);
  return { at, leavers, summaries: summaries.filter((one) => names.includes(one.sync)) };
}

/** Those that need something come first, those that are done last. */
function rank({ state }: JudgedLeaver): number {
  return ['late', 'counting', 'future', 'kept', 'done'].indexOf(state);
}

function endOfToday(at: number): number {
  return Math.floor(at / dayMs) * dayMs + dayMs;
}

/** Counts the leavers of every sync whose clock counts, with two queries for any number of syncs. */
export async function summarizeLeavers({ store, clock, syncs }: EngineIo): Promise<readonly LeaversSummary[]> {
  const now = clock.now();
  const today = new Date(now);
  const month = Date.UTC(today.getUTCFullYear(), today.getUTCMonth());
  const [counting, disabled] = await Promise.all([store.leavers.counting(now), store.leavers.disabledSince(month)]);
  return [...syncs].map(([sync, { settings }]) => {
    const stored = storedName(sync, syncs);
    const { withinMs } = settings.leavers ?? defaultLeaverTarget;
    const ofSync = counting.filter((one) => one.sync === stored);
    const sum = (isMeant: (dueAt: number) => boolean): number =>
      ofSync.reduce((all, { clockAt, people }) => all + (isMeant(clockAt + withinMs) ? people : 0), 0);
    const took = disabled.filter((one) => one.sync === stored).map(({ tookMs }) => tookMs);
    return {
      sync,
      dueToday: sum((dueAt) => dueAt >= now && dueAt < endOfToday(now)),
      late: sum((dueAt) => dueAt < now),
      slowestMs: took.length === 0 ? undefined : Math.max(...took),
    };
  });
}

/** Reads the stated leavers of a sync that count or ended lately, with what blocks each. */
export async function readLeavers(name: string, io: EngineIo, work: WorkIo): Promise<readonly JudgedLeaver[]> {
  const { store, clock } = io;
  const sync = findSync(name, io.syncs);
  const stored = storedName(name, io.syncs);
  const now = clock.now();
  const rows = await store.leavers.list(stored, now - listedMs);
  const names = rows.flatMap(({ ending, identification }) => (ending === undefined ? [identification] : []));
  const runs = names.length === 0 ? [] : await store.runs.list({ sync: stored, limit: recentRuns });
  const last = runs.find(({ endedAt, scope }) => endedAt !== undefined && scope.kind === 'all');
  const [around, facts] = await Promise.all([
    surroundings(name, { sync, stored, runs, last }, io, work),
    factsOf(names, { sync, stored, last }, io),
  ]);
  return rows.map((row) => judgeLeaver({ ...row, sync: name }, facts(row.identification), around));
}

interface SyncRuns {
  readonly sync: Sync;
  readonly stored: string;
  /** The newest run about everyone that ended. */
  readonly last: Run | undefined;
}

async function surroundings(
  name: string,
  { sync, stored, runs, last }: SyncRuns & { readonly runs: readonly Run[] },
  { store, clock, approvals }: EngineIo,
  { nextSlot, hasWorkers }: WorkIo,
): Promise<LeaverSurroundings> {
  const now = clock.now();
  const open = runs.find(({ endedAt }) => endedAt === undefined);
  const isHeld = async (lease: string): Promise<boolean> => (await store.leases.holder(lease, now)) !== undefined;
  const isDeployed = await isHeld(deploymentLease);
  const isWorked = !hasWorkers || (await isHeld(workersLease));
  return {
    ...{ now, sync: name, connection: sync.settings.connection },
    target: sync.settings.leavers ?? defaultLeaverTarget,
    ...given({
      frozenUntil: sync.frozenUntil?.(now),
      pause: await store.pauses.get(stored, now),
      approvers: approvals?.rules.disables?.by,
      openRun: open && { id: open.id, ...given({ waiting: open.waiting && waitingWords(open.waiting) }) },
      lastRun: last && {
        id: last.id,
        isDoubted: last.plan?.isReadDoubted === true,
        ...given({ trouble: troubleOf(last) }),
      },
      missing: isDeployed ? (isWorked ? undefined : ('worker' as const)) : ('deployment' as const),
      nextSlotAt: nextSlot(name, now),
    }),
  };
}

const ofTokens = /^(?:REAUTH|TOKEN|PLATFORM_UNAUTHORIZED)/;

/** Returns why a run about everyone could not disable every leaver. */
function troubleOf({ end, outcome, reason, plan }: Run): NonNullable<LeaverSurroundings['lastRun']>['trouble'] {
  const gap = plan?.sourceGaps[0];
  const code = end?.failure;
  if (code === undefined && outcome !== 'failed' && gap === undefined) return undefined;
  const why = (reason ?? gap ?? 'the run failed').replace(/\.$/, '');
  if (code !== undefined && ofTokens.test(code)) return { cause: 'token', why };
  return { cause: code?.startsWith('SOURCE_') || (code === undefined && gap !== undefined) ? 'read' : 'platform', why };
}

/** Returns what the store knows of each of these leavers. */
async function factsOf(
  names: readonly string[],
  { sync, stored, last }: SyncRuns,
  { store, clock }: EngineIo,
): Promise<(identification: string) => LeaverFacts> {
  if (names.length === 0) return () => ({ isApproved: false });
  const { connection, protected: guarded } = sync.settings;
  const [planned, decisions, standing, findings] = await Promise.all([
    store.leavers.planned(stored),
    store.decisions.ofMany(stored, names),
    store.standing.list(connection, clock.now()),
    last === undefined ? [] : store.runs.findings(last.id),
  ]);
  const undecided = new Map(
    findings.flatMap((one) => (undecidedCodes.has(one.code) ? [[one.identification ?? '', one] as const] : [])),
  );
  /** A plan before the last one that a run about everyone stored says nothing of today. */
  const since = last?.plan === undefined || last.end?.failure !== undefined ? 0 : last.startedAt;
  const keptOf = (identification: string): LeaverKept | undefined => {
    if (guarded.includes(identification)) return { by: `protected of ${sync.settings.name}` };
    const rejected = ofLeaver(identification).find(({ state }) => state === 'rejected');
    if (rejected !== undefined) return { by: rejected.by ?? '', ...given({ why: rejected.why }) };
    const left = standing.find(
      (one) =>
        one.sync === stored &&
        one.way === 'leave' &&
        (('identification' in one && one.identification === identification) ||
          ('other' in one && one.other === identification)),
    );
    return left && { by: left.by, ...given({ why: left.why, until: 'until' in left ? left.until : undefined }) };
  };
  const ofLeaver = (identification: string) =>
    (decisions.get(identification) ?? []).filter(
      ({ rule, endedAt }) => endedAt === undefined && leaverRules.some((one) => one === rule),
    );
  return (identification) => {
    const plan = planned.get(identification);
    return {
      isApproved: ofLeaver(identification).some(({ state, run }) => state === 'approved' && run === undefined),
      ...given({
        planned: plan !== undefined && plan.at >= since ? plan : undefined,
        kept: keptOf(identification),
        finding: undecided.get(identification),
      }),
    };
  };
}
