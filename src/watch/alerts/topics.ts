import type { AlertTopic } from '../../core/run/codes/code-names.ts';
import type { AlertProblem, AlertState, KnownProblem } from '../../ports/alerts.ts';
import type { QueueDepth } from '../../ports/metrics.ts';
import type { Clock } from '../../ports/runtime.ts';
import type { Run, Store } from '../../ports/store.ts';
import type { TokenStatus } from '../../ports/tokens.ts';
import { judgeLeavers } from './judge-leavers.ts';
import { judgeOpenRun, judgePlatform, judgeRun, type PlatformSeen, platformSeen } from './judge-run.ts';
import {
  judgeChannels,
  judgeOutage,
  judgeReload,
  judgeReports,
  judgeToken,
  judgeWork,
  type Outage,
  queueAgedMs,
  type RefusedReload,
  type ReportFacts,
  undeliveredAfterMs,
  type WorkView,
} from './judge-service.ts';
import { judgeFreshness, judgeHeld, judgeOrphans, type SyncFacts, type WatchedSync } from './judge-sync.ts';

/** What a check found about a topic: a problem, `well`, or a problem that has already ended, which is reported once. */
export type TopicFinding = AlertProblem | 'well' | { readonly over: AlertProblem };

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

const namesOf = (judged: readonly Pick<Topic<never>, 'topic'>[]) => judged.map(({ topic }) => topic);

/** Everything that can be wrong, in order of importance. Runs that ended are judged one by one, for `platform` and `run`. */
export const topics: readonly AlertTopic[] = [
  ...namesOf(deploymentTopics),
  ...namesOf(connectionTopics),
  'platform',
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
  token(): Promise<TokenStatus>;
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

/** A sync, and its run in progress that has trouble with a batch. */
export interface SyncToEvaluate {
  readonly sync: WatchedSync;
  readonly troubledRun: string | undefined;
}

/** The result of one evaluation, in order of time. What is absent stays as it is in the state. */
export interface Evaluation {
  readonly facts: readonly AlertFacts[];
  /** Only for a sync. */
  readonly judged?: Pick<AlertState, 'judgedUntil' | 'judgedRuns'>;
  /** The last success of a sync, else when it was first seen; undefined when no success is expected. */
  readonly freshAt?: number;
  /** End of the reported time without the store. Only for a deployment. */
  readonly storeBackAt?: number;
  /** The syncs whose runs the platform ended. Only for a connection. */
  readonly failing?: readonly string[];
}

const runsAtATime = 100;

/** Returns the runs of the sync that ended since the last evaluation, oldest first. */
export async function endedSince(sync: string, before: AlertState, store: Store): Promise<readonly Run[]> {
  // The runs of a sync end one after the other, so none of them ended before the last judged one. Before the first judged
  // run, only the newest one matters.
  const since = before.judgedUntil === 0 ? undefined : before.judgedUntil;
  const ended = await store.alerts.endedRuns(sync, since, runsAtATime);
  const unknown = ended.filter(({ id }) => !before.judgedRuns.includes(id));
  const runs = await Promise.all(unknown.map(({ id }) => store.runs.get(id)));
  return runs.filter((run) => run !== undefined);
}

/**
 * Evaluates the runs that have `ended` since the last evaluation, then the batches of the run in progress, the held
 * changes and the freshness of the sync.
 */
export async function evaluateSync(
  { sync, troubledRun, ended }: SyncToEvaluate & { readonly ended: readonly Run[] },
  before: AlertState,
  { store, clock, isWorkDone }: EvaluationIo & { readonly isWorkDone: boolean },
): Promise<Evaluation> {
  const now = clock.now();
  const facts: AlertFacts[] = [];
  const newest = ended.at(-1);
  let known: (AlertProblem & Pick<Partial<KnownProblem>, 'wellSince'>) | undefined = before.problems.run;
  for (const run of ended) {
    const found = await judgeRun(run, store, known);
    if (found !== undefined) known = found === 'well' || 'over' in found ? undefined : found;
    facts.push({ at: run.endedAt ?? now, topics: found === undefined ? {} : { run: found } });
  }
  const topics: Partial<Findings> = { ...facts.pop()?.topics };
  // Trouble in between is news only while nothing else is wrong: what becomes of the run is judged at its end.
  const isNews = known === undefined || known.code === 'files-failed';
  const open = troubledRun === undefined || !isNews ? undefined : await store.runs.get(troubledRun);
  const trouble =
    open?.endedAt === undefined && open !== undefined ? await judgeOpenRun(open, store, known) : undefined;
  if (trouble !== undefined) {
    // The end of an earlier run is reported on its own.
    if (topics.run !== undefined) facts.push({ at: now, topics: { run: topics.run } });
    topics.run = trouble;
  }
  const { firstSeenAt } = before;
  const staleBefore = sync.staleBefore(now);
  const standings = staleBefore === undefined ? undefined : await store.reports.syncs([sync.name], now);
  const last = standings?.get(sync.name);
  const judged = await judgeAll(syncTopics, {
    sync,
    store,
    now,
    run: newest,
    firstSeenAt,
    staleBefore,
    last,
    isWorkDone,
    isFailing: known?.severity === 'critical' && known.people === undefined && known.wellSince === undefined,
  });
  const judgedUntil = newest?.endedAt ?? before.judgedUntil;
  const lastRuns = ended.filter(({ endedAt }) => endedAt === judgedUntil).map(({ id }) => id);
  const isSame = judgedUntil === before.judgedUntil;
  return {
    facts: [...facts, { at: now, topics: { ...topics, ...judged } }],
    judged: { judgedUntil, judgedRuns: isSame ? [...before.judgedRuns, ...lastRuns] : lastRuns },
    ...(staleBefore === undefined ? {} : { freshAt: last?.successAt ?? firstSeenAt }),
  };
}

export async function evaluateTokens(
  connection: WatchedConnection,
  { store, clock }: EvaluationIo,
): Promise<Evaluation> {
  const token = await connection.token();
  const now = clock.now();
  const watched = new Map(connection.reports.map(({ name, staleBefore }) => [name, staleBefore(now)]));
  const states = watched.size === 0 ? [] : await store.mailedReports.list();
  const reports = states
    .filter(({ name }) => watched.has(name))
    .map((state) => ({ state, staleBefore: watched.get(state.name) }));
  const topics = await judgeAll(connectionTopics, { connection: connection.name, token, now, reports });
  return { facts: [{ at: now, topics }] };
}

/** Evaluates what runs that ended show about the platform of their connection. */
export function evaluatePlatform(
  connection: string,
  seen: readonly PlatformSeen[],
  before: AlertState,
  { clock }: Pick<EvaluationIo, 'clock'>,
): Evaluation {
  const { finding, failing } = judgePlatform(connection, seen, before.failing ?? []);
  return { facts: [{ at: clock.now(), topics: { platform: finding } }], failing };
}

/** Returns what the runs show about the platforms, by connection. */
export function seenByConnection(ended: readonly Run[]): ReadonlyMap<string, readonly PlatformSeen[]> {
  const seen = ended.flatMap((run) => {
    const one = platformSeen(run);
    return one === undefined ? [] : [{ connection: run.connection, one }];
  });
  return new Map(
    [...Map.groupBy(seen, ({ connection }) => connection)].map(([name, some]) => [name, some.map(({ one }) => one)]),
  );
}

/** The facts of a deployment that alerts use. */
export interface WatchedWork {
  /** Whether a sync has a schedule. */
  readonly hasSchedules: boolean;
  /** Whether a scheduler holds the deployment's lease. */
  readonly isScheduled: () => Promise<boolean>;
  /** Whether a worker announced itself lately. Undefined: this deployment has no workers of its own. */
  readonly isWorked: (() => Promise<boolean>) | undefined;
  /** Returns the reload of the configuration that this process refused last. */
  readonly refusedReload: () => RefusedReload | undefined;
  /** Reads the queue; resolves to undefined when Redis does not answer. Undefined: this process has no queue. */
  readonly queue: (() => Promise<QueueDepth | undefined>) | undefined;
}

/**
 * Evaluates the work of the deployment. Remembers since when something is missing; another process starts its own
 * count.
 */
export interface WorkWatch {
  evaluate(before: AlertState, outage: Outage | undefined): Promise<Evaluation>;
}

export function openWorkWatch(
  watched: WatchedWork,
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  channels: readonly string[],
): WorkWatch {
  const scheduler = missing();
  const redis = missing();
  const worker = missing();
  const young = missing();
  return {
    async evaluate(before, outage) {
      const now = clock.now();
      const [isScheduled, isWorked, open, waiting, undelivered] = await Promise.all([
        watched.isScheduled(),
        watched.isWorked?.() ?? true,
        store.runs.unfinished(),
        store.triggers.waitingSyncs(now),
        store.alerts.undelivered(channels, now - undeliveredAfterMs),
      ]);
      const queue = await watched.queue?.();
      const request = await oldestRequest(
        waiting.filter((sync) => open.every((run) => run.sync !== sync)),
        store,
      );
      const topics = await judgeAll(deploymentTopics, {
        now,
        isSchedulerNeeded: watched.hasSchedules || waiting.length > 0,
        unscheduledSince: scheduler.since(isScheduled, now),
        redisAwaySince: redis.since(watched.queue === undefined || queue !== undefined, now),
        unworkedSince: worker.since(isWorked || open.length === 0, now),
        openRuns: open.length,
        queue,
        agedSince: young.since(queue?.oldestAt === undefined || now - queue.oldestAt < queueAgedMs, now),
        request,
        outage,
        undelivered,
        refusedReload: watched.refusedReload(),
        storeBackAt: before.storeBackAt ?? 0,
      });
      const backAt = topics.store === undefined || outage === undefined ? {} : { storeBackAt: outage.until };
      return { facts: [{ at: now, topics }], ...backAt };
    },
  };
}

/** Remembers since when something is not there. */
function missing(): { since(isThere: boolean, now: number): number | undefined } {
  let from: number | undefined;
  return {
    since(isThere, now) {
      from = isThere ? undefined : Math.min(from ?? now, now);
      return from;
    },
  };
}

async function oldestRequest(syncs: readonly string[], store: Store): Promise<WorkView['request']> {
  const waiting = await Promise.all(syncs.map((sync) => store.triggers.waiting(sync)));
  return waiting.flat().toSorted((a, b) => a.requestedAt - b.requestedAt)[0];
}
