import type { AlertProblem, AlertState, AlertTopic } from '../../ports/alerts.ts';
import type { Clock } from '../../ports/runtime.ts';
import type { Run, Store } from '../../ports/store.ts';
import type { TokenStatus } from '../../ports/tokens.ts';
import type { AlertFacts, TopicFinding } from './decide-alerts.ts';
import { judgeFreshness } from './judge-freshness.ts';
import { judgeHeld } from './judge-held.ts';
import { hasTokenProblem, judgeOpenRun, judgeRun } from './judge-run.ts';
import { judgeToken } from './judge-token.ts';

/** The facts of a sync that alerts use. */
export interface WatchedSync {
  readonly name: string;
  readonly connection: string;
  /** The minimum instant of the last success; undefined: no success is expected now. */
  readonly staleBefore: (now: number) => number | undefined;
  /** Whether a success may be late: the sync cannot run now, or is still catching up. Called at every evaluation. */
  readonly isExcused: (now: number, isPaused: boolean) => boolean;
}

/** The facts of a connection that alerts use. */
export interface WatchedConnection {
  readonly name: string;
  token(): Promise<TokenStatus>;
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

/** The result of one evaluation, in order of time. */
export interface Evaluation {
  readonly facts: readonly AlertFacts[];
  readonly judgedUntil: number;
  readonly judgedRuns: readonly string[];
  /** The last success of a sync, else when it was first seen; undefined when no success is expected. */
  readonly freshAt?: number;
  /** End of the reported time without the store. Only for a deployment. */
  readonly storeBackAt?: number;
}

/** Clocks of processes may differ: a run that ended up to this long before another is still included. */
export const overlapMs = 60_000;
const runsAtATime = 100;

/**
 * Evaluates every run that ended since the last evaluation, then the batches of the run in progress, the held changes
 * and the freshness of the sync.
 */
export async function evaluateSync(
  { sync, troubledRun }: SyncToEvaluate,
  before: AlertState,
  { store, clock, isWorkDone }: EvaluationIo & { readonly isWorkDone: boolean },
): Promise<Evaluation> {
  const now = clock.now();
  // Before the first judged run, only the newest one matters.
  const since = before.judgedUntil === 0 ? undefined : before.judgedUntil - overlapMs;
  const recent = await store.alerts.endedRuns(sync.name, since, runsAtATime);
  const ended = recent.filter(({ id }) => !before.judgedRuns.includes(id));
  const facts: AlertFacts[] = [];
  let newest: Run | undefined;
  let known: AlertProblem | undefined = before.problems.run;
  for (const { id, endedAt } of ended) {
    const run = await store.runs.get(id);
    if (run === undefined) continue;
    newest = run;
    const judged = await judgeRun(run, store, known);
    if (judged !== undefined) known = judged === 'well' || 'over' in judged ? undefined : judged;
    facts.push({ at: endedAt, topics: judged === undefined ? {} : { run: judged } });
  }
  const topics: Partial<Record<AlertTopic, TopicFinding>> = { ...facts.pop()?.topics };
  const open = troubledRun === undefined ? undefined : await store.runs.get(troubledRun);
  const trouble =
    open?.endedAt === undefined && open !== undefined ? await judgeOpenRun(open, store, known) : undefined;
  if (trouble !== undefined) {
    // The end of an earlier run is reported on its own.
    if (topics.run !== undefined) facts.push({ at: now, topics: { run: topics.run } });
    topics.run = trouble;
  }
  const held = await judgeHeld(sync.name, newest, store, now);
  if (held !== undefined) topics.held = held;
  const freshness = await evaluateFreshness(sync, before.firstSeenAt, { store, now, isWorkDone });
  if (freshness?.found !== undefined) topics.freshness = freshness.found;
  const judgedUntil = ended.reduce((until, { endedAt }) => Math.max(until, endedAt), before.judgedUntil);
  const judgedRuns = recent.filter(({ endedAt }) => endedAt >= judgedUntil - overlapMs).map(({ id }) => id);
  const isLast = ended.length === 0 && before.version > 0;
  return {
    facts: [...facts, { at: now, topics }],
    judgedUntil,
    judgedRuns: isLast ? before.judgedRuns : judgedRuns,
    ...(freshness === undefined ? {} : { freshAt: freshness.freshAt }),
  };
}

async function evaluateFreshness(
  sync: WatchedSync,
  firstSeenAt: number,
  { store, now, isWorkDone }: { readonly store: Store; readonly now: number; readonly isWorkDone: boolean },
): Promise<{ readonly freshAt: number; readonly found: AlertProblem | 'well' | undefined } | undefined> {
  const staleBefore = sync.staleBefore(now);
  if (staleBefore === undefined) return undefined;
  const isPaused = (await store.pauses.get(sync.name)) !== undefined;
  // What a deployment could not do is that deployment's own problem, and has its time to be caught up after that.
  const isExcused = sync.isExcused(now, isPaused || !isWorkDone);
  const last = await store.alerts.lastRuns(sync.name);
  const view = { sync: sync.name, last, firstSeenAt, staleBefore, now };
  const freshAt = last.successAt ?? firstSeenAt;
  const judged = judgeFreshness(view);
  if (judged === 'well') return { freshAt, found: judged };
  // Without tokens no run can succeed: that is one problem, which the connection reports.
  if (isExcused || (await hasTokenProblem(sync.connection, store))) return { freshAt, found: undefined };
  const underWay = (await store.runs.unfinished()).find((run) => run.sync === sync.name);
  return { freshAt, found: underWay === undefined ? judged : judgeFreshness({ ...view, underWay }) };
}

export async function evaluateTokens(
  connection: WatchedConnection,
  before: AlertState,
  { clock }: EvaluationIo,
): Promise<Evaluation> {
  const token = judgeToken(connection.name, await connection.token(), clock.now());
  const { judgedUntil, judgedRuns } = before;
  return { facts: [{ at: clock.now(), topics: token === undefined ? {} : { token } }], judgedUntil, judgedRuns };
}
