import type { AlertTopic } from '../../core/run/codes/code-names.ts';
import { describeError, type RollcallError, usageError } from '../../core/run/errors.ts';
import { given } from '../../core/run/given.ts';
import {
  type AlertNotice,
  type AlertState,
  type AlertSubject,
  type AlertsReport,
  type Channel,
  type ChannelSettings,
  type ChannelTest,
  type ChannelView,
  type Quieted,
  type QuietOrder,
  severities,
} from '../../ports/alerts.ts';
import { noHolds } from '../../ports/decisions.ts';
import type { Clock, Egress, Logger, NewId } from '../../ports/runtime.ts';
import type { Run, Store } from '../../ports/store.ts';
import { decideAlerts, freshState, type NoticeDraft, quietAlerts } from './decide.ts';
import { caughtUpAt } from './freshness.ts';
import {
  type CauseTopic,
  causeOfRun,
  isOfToken,
  type Sign,
  signsAbout,
  signsOfEnd,
  signsOfOpen,
  subjectOf,
  waitsOnly,
} from './judge-cause.ts';
import { isAtRisk } from './judge-leavers.ts';
import { isRunning, judgeOlderCopy } from './judge-service.ts';
import type { WatchedSync } from './judge-sync.ts';
import type { Place } from './render-notice.ts';
import { openChannel, openSender, sendOnce } from './send.ts';
import {
  causeTopics,
  type Evaluation,
  type EvaluationIo,
  endedSince,
  evaluateCauses,
  evaluateConnections,
  evaluateDeployment,
  evaluateSync,
  type SyncToEvaluate,
  type WatchedConnection,
  type WatchedWork,
} from './topics.ts';

export interface AlertsOptions {
  readonly channels: readonly ChannelSettings[];
  readonly syncs: readonly WatchedSync[];
  readonly connections: readonly WatchedConnection[];
  /** Undefined: the work of the deployment is not evaluated. */
  readonly work?: WatchedWork;
  /** Named in every notice. */
  readonly place: Place;
  /** The proxies of the environment. Absent: none. */
  readonly egress?: Egress;
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly newId: NewId;
  /** 0 ≤ x < 1, for jitter. */
  readonly random: () => number;
}

/** Evaluates and sends alerts. Without channels it evaluates and stores nothing. */
export interface Alerts {
  /**
   * Evaluates every sync, connection and source, and stores changes. Decides by the store alone, so it does not matter which
   * process calls it. It may be killed at any instant: a notice is stored with its state.
   */
  evaluate(signal: AbortSignal): Promise<void>;
  /** Stores that the store is an older copy, and nothing else: what the copy says of the rest is no longer true. */
  refuseStore(from: number): Promise<void>;
  /**
   * Sends what is due, each channel on its own: one that hangs delays no other. A notice is sent until it is delivered (at
   * least once) or a day old. Resolves when every channel has tried; a channel that is still busy from an earlier call is
   * left alone. Never rejects.
   */
  send(signal: AbortSignal): Promise<void>;
  /** Sends a test notice now, without the queue. `only`: the name of one channel. Throws `USAGE` for an unknown one. */
  test(only: string | undefined, signal: AbortSignal): Promise<readonly ChannelTest[]>;
  /**
   * Acknowledges or mutes the sync or the connection of a name, or both when they share it. Throws `USAGE` for an unknown
   * name.
   */
  quiet(name: string, order: QuietOrder): Promise<readonly Quieted[]>;
  /** Returns the open problems, the channels, and the latest `limit` notices. */
  report(limit: number): Promise<AlertsReport>;
}

/** How long the failure of a sync counts of which no further run is expected: it has neither a schedule nor `freshness`. */
const requestSeenMs = 3_600_000;

export function openAlerts(options: AlertsOptions): Alerts {
  const { store, clock, logger, newId } = options;
  const { egress, place } = options;
  const channels = options.channels.map((settings) => openChannel(settings, { clock, egress, place }));
  /** Stores the state, and the notices of what has changed. Returns undefined when another process was faster. */
  const notify = async (before: AlertState, found: Evaluation): Promise<AlertState | undefined> => {
    const concerned = channelsOf([before, found.also ?? {}], before.subject, channels, options.syncs);
    const drafts: NoticeDraft[] = [];
    let state = before;
    for (const facts of found.facts) {
      const decided = decideAlerts(state, facts, concerned, options.channels);
      state = decided.state;
      drafts.push(...decided.drafts);
    }
    const next: AlertState = { ...state, ...found.judged, ...found.also };
    if (before.version > 0 && drafts.length === 0 && isSame(before, next)) return before;
    const outgoing = drafts.map((draft) => ({ ...draft, notice: { ...draft.notice, id: newId('alert') } }));
    if (!(await store.alerts.save(before.version, next, outgoing))) return undefined;
    for (const { notice } of outgoing) {
      const { kind, severity, subject } = notice;
      const topics = [...notice.problems, ...notice.recovered].map(({ topic }) => topic);
      const level = kind === 'problem' || kind === 'reminder' ? 'warn' : 'info';
      logger[level](
        { notice: notice.id, kind, severity, [subject.kind]: subject.name, topics },
        'alert stored for its channels',
      );
    }
    return { ...next, version: before.version + 1 };
  };
  const deployment: AlertSubject = { kind: 'deployment', name: place.deployment };
  const subjects: readonly AlertSubject[] = [
    ...options.syncs.map(({ name }) => ({ kind: 'sync', name }) as const),
    ...options.connections.map(({ name }) => ({ kind: 'connection', name }) as const),
    deployment,
  ];
  /** Returns the stored states of what is configured, and of every source that had a problem. */
  const storedStates = async (): Promise<readonly AlertState[]> => {
    const names = new Set(subjects.map(keyOf));
    const stored = await store.alerts.states();
    return stored.filter(({ subject }) => subject.kind === 'source' || names.has(keyOf(subject)));
  };
  const io: EvaluationIo = { store, clock };
  const attention = openAttention(options.syncs, store);
  const names = options.channels.map(({ name }) => name);
  const sender = openSender(channels, options);
  /** Reads what several subjects need, once for all of them. */
  const openLook = async () => {
    const now = clock.now();
    const [stored, open, seen, pauses, counting] = await Promise.all([
      store.alerts.states(),
      store.runs.unfinished(),
      store.alerts.observations(now),
      store.pauses.list(now),
      store.leavers.counting(now),
    ]);
    const states = new Map(stored.map((state) => [keyOf(state.subject), state]));
    const stateOf = (subject: AlertSubject): AlertState => states.get(keyOf(subject)) ?? freshState(subject, now);
    const evaluate = async (subject: AlertSubject, found: Evaluation): Promise<boolean> => {
      const next = await notify(stateOf(subject), found);
      if (next !== undefined) states.set(keyOf(subject), next);
      return next !== undefined;
    };
    const targets = new Map(options.syncs.map(({ name, leavers }) => [name, leavers?.target]));
    const atRisk = counting.filter(({ sync, clockAt }) => {
      const target = targets.get(sync);
      return target !== undefined && isAtRisk(clockAt, target, now);
    });
    const leaversAtRisk = (name: string): number =>
      atRisk.reduce((sum, { sync, people }) => sum + (sync === name ? people : 0), 0);
    const paused = new Set(pauses.map(({ sync }) => sync));
    /** Syncs with a cause that is an open problem of a connection or a source. */
    const concerned = (topic?: CauseTopic): ReadonlySet<string> => {
      const causes = [...states.values()].flatMap(({ problems, concerned: some = {} }) =>
        causeTopics.flatMap((one) => (problems[one] === undefined || one !== (topic ?? one) ? [] : (some[one] ?? []))),
      );
      return new Set(causes.flatMap(({ syncs }) => Object.keys(syncs)));
    };
    const isHindered = (some: ReadonlySet<string>) => {
      const isWorkDone = stateOf(deployment).problems.work === undefined;
      return ({ name, connection }: WatchedSync): boolean => {
        const { token, platform, uploads } = stateOf({ kind: 'connection', name: connection }).problems;
        const isStuck = token !== undefined || platform !== undefined || uploads !== undefined;
        return paused.has(name) || !isWorkDone || isStuck || some.has(name);
      };
    };
    const running = seen.filter(isRunning).map(({ startedAt }) => startedAt);
    const freshFrom = caughtUpAt(running, clock.jumps?.() ?? [], now);
    return { now, states, stateOf, evaluate, open, seen, paused, leaversAtRisk, concerned, isHindered, freshFrom };
  };
  type Look = Awaited<ReturnType<typeof openLook>>;

  /** Returns false when another process was faster: the next evaluation judges the runs. */
  const evaluateShared = async (signs: readonly Sign[], look: Look): Promise<boolean> => {
    const { states, stateOf, evaluate, now, open, paused, leaversAtRisk } = look;
    // A problem that comes back stays open for a while after its last sync is well.
    const known = [...states.values()].filter(
      ({ problems, concerned = {} }) =>
        Object.keys(concerned).length > 0 || causeTopics.some((topic) => problems[topic] !== undefined),
    );
    const meant = signs.flatMap(({ cause }) => (cause === undefined ? [] : [subjectOf(cause)]));
    const all = new Map([...known.map(({ subject }) => subject), ...meant].map((subject) => [keyOf(subject), subject]));
    for (const subject of all.values()) {
      const before = stateOf(subject);
      // What the tokens explain is no trouble of the platform.
      const isToken = before.problems.token !== undefined;
      const some = signsAbout(before, signs).filter(({ cause, topic }) => {
        return !(isToken && topic === 'platform' && cause !== undefined && isOfToken(cause));
      });
      const turns = open.filter((run) => run.connection === subject.name && run.waiting?.for === 'turn');
      const behind = turns.map(({ sync }) => sync);
      const whyIdle = (sync: string, at: number): string | undefined => {
        const one = options.syncs.find(({ name, connection }) => {
          return name === sync && (subject.kind !== 'connection' || connection === subject.name);
        });
        if (one === undefined) return 'no longer configured';
        if (paused.has(sync)) return 'paused';
        return now - at >= requestSeenMs && one.staleBefore(now) === undefined ? 'run only on request' : undefined;
      };
      const found = evaluateCauses(before, some, { now, whyIdle, leaversAtRisk, behind });
      if (!(await evaluate(subject, found))) return false;
    }
    return true;
  };

  return {
    async evaluate(signal) {
      if (channels.length === 0) return;
      const look = await openLook();
      const { stateOf, evaluate, open, seen, now, freshFrom } = look;
      // The work comes first, and the connections before the syncs, so that what they explain is not a second problem.
      if (options.work !== undefined) {
        const facts = { watched: options.work, seen, open, channels: names };
        await evaluate(deployment, await evaluateDeployment(facts, stateOf(deployment), io));
      }
      for (const [name, found] of await evaluateConnections(options.connections, io)) {
        signal.throwIfAborted();
        await evaluate({ kind: 'connection', name }, found);
      }
      const syncs = await attention.due({ ...look, isHindered: look.isHindered(look.concerned()) });
      const syncNames = syncs.map(({ name }) => name);
      const standings = await store.reports.syncs(syncNames, now);
      const holds = await store.holds.open(syncNames, now);
      const due: SyncToEvaluate[] = [];
      for (const sync of syncs) {
        const { name } = sync;
        const standing = standings.get(name);
        const ended = await endedSince(standing, stateOf({ kind: 'sync', name }), store);
        const leaversAtRisk = look.leaversAtRisk(name);
        due.push({ sync, ended, standing, holds: holds.get(name) ?? noHolds, leaversAtRisk });
      }
      const signs = [
        ...due.flatMap(({ ended }) => ended.flatMap(signsOfEnd)),
        ...open.flatMap((run) => signsOfOpen(run, now)),
      ];
      const hadUploads = look.concerned('uploads');
      if (!(await evaluateShared(signs, look))) return;
      const [haveFiles, haveUploads] = [look.concerned('files'), look.concerned('uploads')];
      const isTold = (run: Run): boolean => {
        const cause = causeOfRun(run);
        if (cause !== undefined) return cause.topic !== 'files' || haveFiles.has(run.sync);
        return waitsOnly(run) && (hadUploads.has(run.sync) || haveUploads.has(run.sync));
      };
      const isHindered = look.isHindered(look.concerned());
      for (const one of due) {
        signal.throwIfAborted();
        const { name } = one.sync;
        const subject = { kind: 'sync', name } as const;
        const around = { open, isHindered: isHindered(one.sync), freshFrom, isTold };
        const found = await evaluateSync(one, stateOf(subject), around, io);
        if (await evaluate(subject, found)) attention.evaluated(one.sync, { freshAt: found.freshAt, at: now });
      }
    },
    async refuseStore(from) {
      if (channels.length === 0) return;
      const before = (await store.alerts.state(deployment)) ?? freshState(deployment, clock.now());
      await notify(before, { facts: [{ at: clock.now(), topics: { store: judgeOlderCopy(from) } }] });
    },
    send: (signal) => sender.send(signal),
    async test(only, signal) {
      const wanted = channels.filter(({ settings }) => only === undefined || settings.name === only);
      if (wanted.length === 0) throw noChannel(only, options.channels);
      const notice: AlertNotice = {
        id: newId('alert'),
        kind: 'test',
        subject: { kind: 'sync', name: 'test' },
        severity: 'warning',
        at: clock.now(),
        problems: [],
        recovered: [],
        standing: [],
      };
      return Promise.all(
        wanted.map(async (channel) => {
          const { name, kind } = channel.settings;
          const { error } = await sendOnce(channel, notice, signal);
          return { channel: name, kind, error };
        }),
      );
    },
    async quiet(name, order) {
      const known = new Map(
        [...subjects, ...(await storedStates()).map((one) => one.subject)].map((one) => [keyOf(one), one]),
      );
      const named = [...known.values()].filter((subject) => subject.name === name);
      if (named.length === 0) throw noSubject(name, [...known.values()]);
      return quietAlerts(named, order, { store, now: clock.now() });
    },
    async report(limit) {
      const states = await storedStates();
      const standing = states.flatMap(({ subject, problems, concerned = {} }) =>
        Object.entries(problems).map(([topic, problem]) => {
          const about = concerned[topic as CauseTopic];
          const syncs = about && Object.keys(about.syncs);
          return { ...problem, topic: topic as AlertTopic, subject, ...given({ syncs }) };
        }),
      );
      const muted = states.flatMap(({ subject, muted: one }) => (one === undefined ? [] : [{ subject, ...one }]));
      const deliveries = limit === 0 ? [] : await store.alerts.list(limit);
      return { channels: options.channels.map(toView), standing, muted, deliveries };
    },
  };
}

function keyOf({ kind, name }: AlertSubject): string {
  return `${kind} ${name}`;
}

function toView({ name, kind, severities: taken, syncs, afterMs, remindMs }: ChannelSettings): ChannelView {
  return { name, kind, severities: taken ?? severities, syncs, afterMs, remindMs };
}

function noSubject(name: string, subjects: readonly AlertSubject[]): RollcallError {
  const known = subjects.map((subject) => `${subject.kind} ${subject.name}`).join(', ');
  return usageError(`no sync, connection or deployment is called ${name}; the configuration has: ${known}`);
}

function noChannel(name: string | undefined, channels: readonly ChannelSettings[]): RollcallError {
  const known = channels.map((channel) => channel.name).join(', ');
  const message =
    known === ''
      ? 'no alerts are sent, because the configuration has no "alerts". Add a channel, then try again'
      : `no channel is called ${name}; the configuration has: ${known}`;
  return usageError(message);
}

function isSame(a: AlertState, b: AlertState): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/**
 * Returns the settings of the channels for a subject. A connection concerns the channels of every sync that uses it, a
 * source those of the syncs that it fails, and the deployment every channel.
 */
function channelsOf(
  states: readonly Pick<AlertState, 'concerned'>[],
  subject: AlertSubject,
  channels: readonly Channel[],
  syncs: readonly WatchedSync[],
): readonly ChannelSettings[] {
  const all = channels.map(({ settings }) => settings);
  if (subject.kind === 'deployment') return all;
  const isMeant = ({ name, connection }: WatchedSync): boolean => {
    if (subject.kind === 'sync') return name === subject.name;
    if (subject.kind === 'connection') return connection === subject.name;
    return states.some(({ concerned = {} }) => Object.values(concerned).some((one) => one.syncs[name] !== undefined));
  };
  const meant = syncs.filter(isMeant).map(({ name }) => name);
  return all.filter((channel) => channel.syncs === undefined || channel.syncs.some((name) => meant.includes(name)));
}

/** An end is seen by others a moment after its instant. */
const overlapMs = 60_000;
/** More syncs than these are looked at in the next evaluation. */
const endsAtATime = 1000;
/** A sync without any sign is evaluated this often. */
const atLeastEveryMs = 600_000;

/** What the last evaluation of a sync has shown: its last success, else when it was first seen. */
interface LastEvaluation {
  readonly freshAt: number | undefined;
  readonly at: number;
}

interface AttentionFacts {
  readonly now: number;
  readonly stateOf: (subject: AlertSubject) => AlertState;
  readonly leaversAtRisk: (sync: string) => number;
  readonly isHindered: (sync: WatchedSync) => boolean;
}

/** Chooses the syncs to evaluate, so that idle syncs without a problem cost one query together. Decides nothing else. */
function openAttention(syncs: readonly WatchedSync[], store: Pick<Store, 'alerts'>) {
  const known = new Map<WatchedSync, LastEvaluation>();
  let checkedUntil: number | undefined;
  return {
    /**
     * Returns the syncs to evaluate now: those with an open problem, with a run that has ended since the last call, whose
     * last success has become too old, whose leavers are due, or that begin or end to be hindered; each sync at the first
     * call and at least every ten minutes.
     */
    async due({ now, stateOf, leaversAtRisk, isHindered }: AttentionFacts): Promise<readonly WatchedSync[]> {
      const ended =
        checkedUntil === undefined
          ? []
          : await store.alerts.endedRuns(Math.min(checkedUntil, now) - overlapMs, endsAtATime);
      checkedUntil = now;
      return syncs.filter((sync) => {
        const last = known.get(sync);
        const state = stateOf({ kind: 'sync', name: sync.name });
        const isLate = sync.leavers !== undefined && leaversAtRisk(sync.name) > 0;
        const isOpen = Object.keys(state.problems).length > 0;
        if (last === undefined || isOpen || isLate || ended.some((run) => run.sync === sync.name)) return true;
        if (now < last.at || now >= last.at + atLeastEveryMs) return true;
        if (isHindered(sync) !== (state.excusedUntil === 'hindered')) return true;
        return last.freshAt !== undefined && last.freshAt < (sync.staleBefore(now) ?? Number.NEGATIVE_INFINITY);
      });
    },
    evaluated: (sync: WatchedSync, last: LastEvaluation) => void known.set(sync, last),
  };
}

const oneCheckMs = 30_000;

/** Evaluates alerts once, after a run that ended in this process. A later process sends what this one cannot. Never rejects. */
export async function checkOnce(alerts: Alerts, logger: Logger, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const limit = AbortSignal.any([signal, AbortSignal.timeout(oneCheckMs)]);
  await alerts.evaluate(limit).catch((error: unknown) => {
    logger.error(
      { error: describeError(error) },
      'alerts could not be evaluated after the run: see "rollcall alerts list"',
    );
  });
  await alerts.send(limit);
}
