import type { AlertTopic } from '../../core/run/codes/code-names.ts';
import { given } from '../../core/run/given.ts';
import type { AlertProblem, AlertState, KnownProblem, Lacked, Observation } from '../../ports/alerts.ts';
import { deploymentLease, workersLease } from '../../ports/leases.ts';
import type { SyncStanding } from '../../ports/reports.ts';
import type { Clock } from '../../ports/runtime.ts';
import type { OpenHolds, Run, Store } from '../../ports/store.ts';
import type { TokenRecord, TokenStatus } from '../../ports/tokens.ts';
import { catchUpMs } from './freshness.ts';
import { type CauseTopic, type CauseView, judgeCause, type Sign } from './judge-cause.ts';
import { judgeReload } from './judge-configuration.ts';
import { judgeLeavers } from './judge-leavers.ts';
import { judgeRun } from './judge-run.ts';
import {
  isRunning,
  judgeChannels,
  judgeLasting,
  judgeOutage,
  judgeReports,
  judgeToken,
  judgeWork,
  queueAgedMs,
  type ReportFacts,
  type TopicFinding,
  undeliveredAfterMs,
  type WorkView,
} from './judge-service.ts';
import { judgeFreshness, judgeHeld, judgeOrphans, type SyncFacts, type WatchedSync } from './judge-sync.ts';

type Findings = Record<AlertTopic, TopicFinding>;

/** The result of one evaluation of a subject. Topics that are absent were not evaluated and stay as they are. */
export interface AlertFacts {
  readonly at: number;
  readonly topics: Readonly<Partial<Findings>>;
}

interface Topic<Facts> {
  readonly topic: AlertTopic;
  /** Returns undefined when the facts show nothing about the topic. */
  judge(facts: Facts): TopicFinding | undefined | Promise<TopicFinding | undefined>;
}

const deploymentTopics: readonly Topic<WorkView>[] = [
  { topic: 'work', judge: judgeWork },
  { topic: 'store', judge: judgeOutage },
  { topic: 'latency', judge: judgeLasting('slow') },
  { topic: 'clock', judge: judgeLasting('clockOff') },
  { topic: 'configuration', judge: judgeReload },
  { topic: 'channel', judge: judgeChannels },
];

const connectionTopics: readonly Topic<ConnectionFacts>[] = [
  { topic: 'token', judge: judgeToken },
  { topic: 'report', judge: judgeReports },
];

const syncTopics: readonly Topic<SyncFacts>[] = [
  { topic: 'orphans', judge: judgeOrphans },
  { topic: 'freshness', judge: judgeFreshness },
  { topic: 'held', judge: judgeHeld },
  { topic: 'leavers', judge: judgeLeavers },
];

/** In order of importance. */
export const causeTopics: readonly CauseTopic[] = ['platform', 'uploads', 'files', 'source', 'credential'];

const namesOf = (judged: readonly Pick<Topic<never>, 'topic'>[]) => judged.map(({ topic }) => topic);

/** Everything that can be wrong, in order of importance. Runs are judged one by one, for `run`, and by what they have in common. */
export const topics: readonly AlertTopic[] = [
  ...namesOf(deploymentTopics),
  ...namesOf(connectionTopics),
  ...causeTopics,
  'run',
  ...namesOf(syncTopics),
];

async function judgeAll<Facts>(judged: readonly Topic<Facts>[], facts: Facts): Promise<Partial<Findings>> {
  const found: Partial<Findings> = {};
  for (const { topic, judge } of judged) {
    const finding = await judge(facts);
    if (finding !== undefined) found[topic] = finding;
  }
  return found;
}

/** The facts of a connection that alerts use. */
export interface WatchedConnection {
  readonly name: string;
  readonly token: (rows: ReadonlyMap<string, TokenRecord>) => Promise<TokenStatus>;
  readonly reports: readonly WatchedReport[];
}

/** A report by e-mail, and the instant from which its last success must be. */
export interface WatchedReport {
  readonly name: string;
  readonly staleBefore: (now: number) => number | undefined;
}

/** What one evaluation of a connection knows. */
interface ConnectionFacts {
  readonly connection: string;
  readonly token: TokenStatus;
  readonly now: number;
  readonly reports: readonly ReportFacts[];
}

export interface EvaluationIo {
  readonly store: Store;
  readonly clock: Clock;
}

/** A sync, with what was read of all such syncs at once. */
export interface SyncToEvaluate {
  readonly sync: WatchedSync;
  readonly standing: SyncStanding | undefined;
  readonly holds: OpenHolds;
  readonly leaversAtRisk: number;
  /** Its runs that have ended since its last evaluation. */
  readonly ended: readonly Run[];
}

/** The result of one evaluation, in order of time. What is absent stays as it is in the state. */
export interface Evaluation {
  readonly facts: readonly AlertFacts[];
  /** Only for a sync. */
  readonly judged?: Pick<AlertState, 'judgedUntil' | 'judgedRuns'>;
  /** The last success of a sync, else when it was first seen; undefined when no success is expected. */
  readonly freshAt?: number;
  /** What else the state keeps: see `AlertState`. */
  readonly also?: Pick<AlertState, 'storeBackAt' | 'lacking' | 'concerned' | 'excusedUntil'>;
}

const runsAtATime = 100;

/** Returns the runs of the sync that ended since the last evaluation, oldest first. Reads nothing where none has. */
export async function endedSince(
  standing: SyncStanding | undefined,
  before: AlertState,
  store: Store,
): Promise<readonly Run[]> {
  const { newest, endedAt = 0 } = standing ?? {};
  if (newest === undefined) return [];
  const isOpen = newest.endedAt === undefined;
  // What else ended before a run in progress is judged with that run.
  if (isOpen ? endedAt <= before.judgedUntil : before.judgedRuns.includes(newest.id)) return [];
  // The runs of a sync end one after the other, so none of them ended before the last judged one. Before the first judged
  // run, only the newest one matters.
  const since = before.judgedUntil === 0 ? undefined : before.judgedUntil;
  const ended = await store.alerts.endedRuns(since, since === undefined ? 1 : runsAtATime, newest.sync);
  const unknown = ended.filter(({ id, startedAt }) => {
    // A run that has ended since the standing was read is judged with the next evaluation, together with what it held.
    const isLater = startedAt > newest.startedAt || (isOpen && id === newest.id);
    return !isLater && !before.judgedRuns.includes(id);
  });
  const runs = await Promise.all(unknown.map(({ id }) => store.runs.get(id)));
  return runs.filter((run) => run !== undefined);
}

/** What one evaluation knows beside the sync. */
export interface SyncSurroundings {
  /** Runs in progress, of all syncs. */
  readonly open: readonly Run[];
  /** The deployment, the platform or the source keeps every run of the sync from succeeding. */
  readonly isHindered: boolean;
  /** Before this instant, no sync is late: the deployment has just started. */
  readonly freshFrom: number;
  /** Whether the trouble of the run is a problem of its connection or source. */
  readonly isTold: (run: Run) => boolean;
}

/** Evaluates the runs that have `ended` since the last evaluation, then the held changes and the freshness of the sync. */
export async function evaluateSync(
  { sync, ended, standing, holds, leaversAtRisk }: SyncToEvaluate,
  before: AlertState,
  { open: openRuns, isHindered, freshFrom, isTold }: SyncSurroundings,
  { store, clock }: EvaluationIo,
): Promise<Evaluation> {
  const now = clock.now();
  const facts: AlertFacts[] = [];
  const newest = ended.at(-1);
  let known: (AlertProblem & Pick<Partial<KnownProblem>, 'wellSince'>) | undefined = before.problems.run;
  for (const run of ended) {
    const found = isTold(run) ? undefined : await judgeRun(run, store, known);
    if (found !== undefined) known = found === 'well' ? undefined : found;
    facts.push({ at: run.endedAt ?? now, topics: found === undefined ? {} : { run: found } });
  }
  const topics: Partial<Findings> = { ...facts.pop()?.topics };
  const { firstSeenAt } = before;
  const catchesUp = before.excusedUntil === 'hindered' ? now + catchUpMs : before.excusedUntil;
  const excusedUntil: AlertState['excusedUntil'] = isHindered ? 'hindered' : catchesUp;
  const staleBefore = sync.staleBefore(now);
  const judged = await judgeAll(syncTopics, {
    sync,
    store,
    now,
    run: newest,
    firstSeenAt,
    staleBefore,
    last: standing,
    holds,
    isHeldKnown: before.problems.held !== undefined,
    leaversAtRisk,
    underWay: openRuns.find((run) => run.sync === sync.name),
    isExcused: excusedUntil === 'hindered' || now < Math.max(excusedUntil ?? 0, freshFrom),
    isFailing: known?.severity === 'critical' && known.people === undefined && known.wellSince === undefined,
  });
  const judgedUntil = newest?.endedAt ?? before.judgedUntil;
  const lastRuns = ended.filter(({ endedAt }) => endedAt === judgedUntil).map(({ id }) => id);
  const isSame = judgedUntil === before.judgedUntil;
  return {
    facts: [...facts, { at: now, topics: { ...topics, ...judged } }],
    also: given({ excusedUntil }),
    judged: { judgedUntil, judgedRuns: isSame ? [...before.judgedRuns, ...lastRuns] : lastRuns },
    ...(staleBefore === undefined ? {} : { freshAt: standing?.successAt ?? firstSeenAt }),
  };
}

/** Evaluates the tokens and the reports of each connection. Reads those of all connections at once. */
export async function evaluateConnections(
  connections: readonly WatchedConnection[],
  { store, clock }: EvaluationIo,
): Promise<ReadonlyMap<string, Evaluation>> {
  const rows = await store.tokens.all();
  const hasReports = connections.some(({ reports }) => reports.length > 0);
  const states = hasReports ? await store.mailedReports.list() : [];
  const now = clock.now();
  const evaluations = connections.map(async ({ name, token, reports: watched }) => {
    const reports = states.flatMap((state) =>
      watched.flatMap((one) => (one.name === state.name ? [{ state, staleBefore: one.staleBefore(now) }] : [])),
    );
    const facts = { connection: name, token: await token(rows), now, reports };
    return [name, { facts: [{ at: now, topics: await judgeAll(connectionTopics, facts) }] }] as const;
  });
  return new Map(await Promise.all(evaluations));
}

/** Evaluates what runs show about a cause that they share. */
export function evaluateCauses(
  before: AlertState,
  signs: readonly Sign[],
  view: Omit<CauseView, 'isOpen'>,
): Evaluation {
  const topics: Partial<Findings> = {};
  const judged = causeTopics.flatMap((topic) => {
    const known = before.concerned?.[topic];
    const some = signs.filter((sign) => sign.topic === topic);
    if (known === undefined && some.every(({ cause }) => cause === undefined)) return [];
    const isOpen = before.problems[topic] !== undefined;
    return [[topic, judgeCause(topic, known, some, { ...view, isOpen })] as const];
  });
  for (const [topic, { finding }] of judged) topics[topic] = finding;
  const left = judged.flatMap(([topic, { concerned: one }]) => (one === undefined ? [] : [[topic, one] as const]));
  return {
    facts: [{ at: view.now, topics }],
    also: { concerned: Object.fromEntries(left) },
  };
}

/** The facts of a deployment that alerts use. */
export interface WatchedWork {
  /** Whether a sync or a report has a schedule. */
  readonly hasSchedules: boolean;
  /** Whether this deployment has workers of its own. */
  readonly hasWorkers: boolean;
}

interface DeploymentFacts {
  readonly watched: WatchedWork;
  readonly seen: readonly Observation[];
  /** Runs in progress, of all syncs. */
  readonly open: readonly Run[];
  readonly channels: readonly string[];
}

/** Evaluates the work of the deployment, from the store alone. Remembers in the state since when something is lacking. */
export async function evaluateDeployment(
  { watched, seen, open, channels }: DeploymentFacts,
  before: AlertState,
  { store, clock }: EvaluationIo,
): Promise<Evaluation> {
  const now = clock.now();
  const [holders, syncs, undelivered] = await Promise.all([
    store.reports.holders([deploymentLease, workersLease]),
    store.triggers.waitingSyncs(now),
    store.alerts.undelivered(channels, now - undeliveredAfterMs),
  ]);
  const isHeld = (lease: string): boolean => (holders.get(lease)?.until ?? 0) > now;
  const [request] = [...syncs]
    .filter(([sync]) => open.every((run) => run.sync !== sync))
    .map(([sync, requestedAt]) => ({ sync, requestedAt }))
    .toSorted((a, b) => a.requestedAt - b.requestedAt);
  const queues = seen.filter(isRunning).flatMap(({ queue }) => queue ?? []);
  const answers = queues.filter((queue) => queue !== 'away');
  const queue = answers.toSorted((a, b) => (a.oldestAt ?? now) - (b.oldestAt ?? now))[0];
  // A process that has stopped may come back and still be without Redis.
  const isUnsure =
    before.lacking?.['some-redis'] !== undefined && seen.some((one) => one.queue === 'away' && !isRunning(one));
  const isThere: Readonly<Record<Lacked, boolean>> = {
    scheduler: isHeld(deploymentLease),
    worker: !watched.hasWorkers || isHeld(workersLease) || open.length === 0,
    redis: queues.length === 0 || queue !== undefined,
    'some-redis': queue === undefined || (answers.length === queues.length && !isUnsure),
    'free-worker': queue?.oldestAt === undefined || now - queue.oldestAt < queueAgedMs,
  };
  // While no process ran, none could see what was lacking.
  const watchedFrom = Math.min(now, ...seen.filter(isRunning).map(({ startedAt }) => startedAt));
  const lacking = Object.fromEntries(
    Object.entries(isThere).flatMap(([name, is]) => {
      return is ? [] : [[name, Math.max(before.lacking?.[name as Lacked] ?? now, watchedFrom)]];
    }),
  );
  const topics = await judgeAll(deploymentTopics, {
    now,
    // Without a schedule and a request, no scheduler is missed.
    lacking: watched.hasSchedules || syncs.size > 0 ? lacking : { ...lacking, scheduler: undefined },
    openRuns: open.length,
    queue,
    request,
    seen,
    undelivered,
    storeBackAt: before.storeBackAt ?? 0,
    ...given({ open: before.problems.configuration }),
  });
  const isBack = typeof topics.store === 'object';
  const backAt = isBack ? Math.max(...seen.map(({ outage }) => outage?.until ?? 0)) : before.storeBackAt;
  return { facts: [{ at: now, topics }], also: { lacking, ...given({ storeBackAt: backAt }) } };
}
