import type { AlertTopic } from '../../core/run/codes/code-names.ts';
import { describeError, isStoreAway, type RollcallError, usageError } from '../../core/run/errors.ts';
import { ageOf } from '../../core/run/formats.ts';
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
import type { Clock, Egress, Logger, NewId } from '../../ports/runtime.ts';
import { olderCopy, type Run, type Store } from '../../ports/store.ts';
import { decideAlerts, freshState, type NoticeDraft, quietAlerts } from './decide.ts';
import { isAtRisk } from './judge-leavers.ts';
import { freshMemory, judgeOlderCopy, type Outage, outageToldMs, type ProcessMemory } from './judge-service.ts';
import type { WatchedSync } from './judge-sync.ts';
import type { Place } from './render-notice.ts';
import { openChannel, openSender, sendOnce } from './send.ts';
import {
  type Evaluation,
  type EvaluationIo,
  endedSince,
  evaluatePlatform,
  evaluateSync,
  evaluateTokens,
  openWorkWatch,
  type SyncToEvaluate,
  seenByConnection,
  type WatchedConnection,
  type WatchedWork,
} from './topics.ts';

export interface AlertsOptions {
  readonly channels: readonly ChannelSettings[];
  readonly syncs: readonly WatchedSync[];
  readonly connections: readonly WatchedConnection[];
  /** What this process knows about the work of the deployment. Undefined: the work is not evaluated. */
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
   * Evaluates every sync and connection, and stores changes. Several processes may call it at once, and it may be killed
   * at any instant: a notice is stored with its state. `outage`: a time without the store that has just ended.
   */
  evaluate(signal: AbortSignal, outage?: Outage): Promise<void>;
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

export function openAlerts(options: AlertsOptions): Alerts {
  const { store, clock, logger, newId } = options;
  const { egress, place } = options;
  const channels = options.channels.map((settings) => openChannel(settings, { clock, egress, place }));
  const notify = async (before: AlertState, found: Evaluation): Promise<boolean> => {
    const concerned = channelsOf(before.subject, channels, options.syncs);
    const drafts: NoticeDraft[] = [];
    let state = before;
    for (const facts of found.facts) {
      const decided = decideAlerts(state, facts, concerned);
      state = decided.state;
      drafts.push(...decided.drafts);
    }
    const { judged, storeBackAt, failing } = found;
    const next: AlertState = { ...state, ...judged, ...given({ storeBackAt, failing }) };
    if (before.version > 0 && drafts.length === 0 && isSame(before, next)) return true;
    const outgoing = drafts.map((draft) => ({ ...draft, notice: { ...draft.notice, id: newId('alert') } }));
    const isStored = await store.alerts.save(before.version, next, outgoing);
    for (const { notice } of isStored ? outgoing : []) {
      const { kind, severity, subject } = notice;
      const topics = [...notice.problems, ...notice.recovered].map(({ topic }) => topic);
      const level = kind === 'problem' || kind === 'reminder' ? 'warn' : 'info';
      logger[level](
        { notice: notice.id, kind, severity, [subject.kind]: subject.name, topics },
        'alert stored for its channels',
      );
    }
    return isStored;
  };
  const stateOf = async (subject: AlertSubject): Promise<AlertState> =>
    (await store.alerts.state(subject)) ?? freshState(subject, clock.now());
  const storeFound = async (before: AlertState, found: Evaluation): Promise<LastEvaluation> => {
    // When another process was faster, it has stored the notice.
    const isStored = await notify(before, found);
    return { isOpen: !isStored || hasProblem(before, found), freshAt: found.freshAt };
  };
  const evaluateSubject = async (
    subject: AlertSubject,
    find: (before: AlertState) => Evaluation | Promise<Evaluation>,
  ): Promise<void> => {
    const before = await stateOf(subject);
    await storeFound(before, await find(before));
  };
  const deployment: AlertSubject = { kind: 'deployment', name: place.deployment };
  const subjects: readonly AlertSubject[] = [
    ...options.syncs.map(({ name }) => ({ kind: 'sync', name }) as const),
    ...options.connections.map(({ name }) => ({ kind: 'connection', name }) as const),
    deployment,
  ];
  const io: EvaluationIo = { store, clock };
  const attention = openAttention(options.syncs, options);
  const names = options.channels.map(({ name }) => name);
  const work = options.work === undefined ? undefined : openWorkWatch(options.work, io, names);
  const sender = openSender(channels, options);
  return {
    async evaluate(signal, outage) {
      if (channels.length === 0) return;
      // The work comes first, and the connections before the syncs, so that what they explain is not a second problem.
      if (work !== undefined) await evaluateSubject(deployment, (before) => work.evaluate(before, outage));
      const isWorkDone = (await store.alerts.state(deployment))?.problems.work === undefined;
      for (const connection of options.connections) {
        signal.throwIfAborted();
        await evaluateSubject({ kind: 'connection', name: connection.name }, () => evaluateTokens(connection, io));
      }
      const due: (SyncToEvaluate & { readonly before: AlertState; readonly ended: readonly Run[] })[] = [];
      for (const one of await attention.due()) {
        const before = await stateOf({ kind: 'sync', name: one.sync.name });
        due.push({ ...one, before, ended: await endedSince(one.sync.name, before, store) });
      }
      // What the platform does to all syncs of a connection is one problem, which comes before those of the syncs.
      for (const [name, seen] of seenByConnection(due.flatMap(({ ended }) => ended))) {
        await evaluateSubject({ kind: 'connection', name }, (before) => evaluatePlatform(name, seen, before, io));
      }
      for (const { before, ...one } of due) {
        signal.throwIfAborted();
        const found = await evaluateSync(one, before, { ...io, isWorkDone });
        attention.evaluated(one.sync, await storeFound(before, found));
      }
    },
    async refuseStore(from) {
      if (channels.length === 0) return;
      const topics = { store: judgeOlderCopy(from) };
      await evaluateSubject(deployment, () => ({ facts: [{ at: clock.now(), topics }] }));
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
      const named = subjects.filter((subject) => subject.name === name);
      if (named.length === 0) throw noSubject(name, subjects);
      return quietAlerts(named, order, { store, now: clock.now() });
    },
    async report(limit) {
      const known = await store.alerts.states();
      const states = subjects.flatMap(({ kind, name }) => {
        return known.find(({ subject }) => subject.kind === kind && subject.name === name) ?? [];
      });
      const standing = states.flatMap(({ subject, problems }) =>
        Object.entries(problems).map(([topic, problem]) => ({ ...problem, topic: topic as AlertTopic, subject })),
      );
      const muted = states.flatMap(({ subject, muted: mute }) => (mute === undefined ? [] : [{ subject, ...mute }]));
      const deliveries = limit === 0 ? [] : await store.alerts.list(limit);
      return { channels: options.channels.map(toView), standing, muted, deliveries };
    },
  };
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

/** Returns whether a problem was open before the evaluation, or is now. */
function hasProblem({ problems }: AlertState, { facts }: Evaluation): boolean {
  if (Object.keys(problems).length > 0) return true;
  return facts.some(({ topics }) => Object.values(topics).some((topic) => topic !== 'well'));
}

function isSame(a: AlertState, b: AlertState): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/**
 * Returns the settings of the channels for a subject. A connection concerns the channels of every sync that uses it, and
 * the deployment concerns every channel.
 */
function channelsOf(
  subject: AlertSubject,
  channels: readonly Channel[],
  syncs: readonly WatchedSync[],
): readonly ChannelSettings[] {
  const all = channels.map(({ settings }) => settings);
  if (subject.kind === 'deployment') return all;
  const concerned =
    subject.kind === 'sync'
      ? [subject.name]
      : syncs.filter(({ connection }) => connection === subject.name).map(({ name }) => name);
  return all.filter((channel) => channel.syncs === undefined || channel.syncs.some((name) => concerned.includes(name)));
}

/** An end is seen by others a moment after its instant. */
const overlapMs = 60_000;
/** More syncs than these are looked at in the next evaluation. */
const endsAtATime = 1000;
/** A sync without any sign is evaluated this often. */
const atLeastEveryMs = 600_000;

/** What the last evaluation of a sync has shown. */
interface LastEvaluation {
  /** A problem is open, or another process was faster. */
  readonly isOpen: boolean;
  /** The last success, else when the sync was first seen; undefined when no success is expected. */
  readonly freshAt: number | undefined;
}

/** Chooses the syncs to evaluate, so that idle syncs without a problem cost four queries together. */
interface Attention {
  /**
   * Returns the syncs to evaluate now: those with an open problem, with a run that has ended since the last call, with a
   * run in progress that has trouble with a batch, whose last success has become too old, or whose leavers are due; each
   * sync at the first call and at least every ten minutes.
   */
  due(): Promise<readonly SyncToEvaluate[]>;
  evaluated(sync: WatchedSync, last: LastEvaluation): void;
}

function openAttention(
  syncs: readonly WatchedSync[],
  { store, clock }: { readonly store: Pick<Store, 'alerts' | 'pauses' | 'leavers'>; readonly clock: Clock },
): Attention {
  const known = new Map<WatchedSync, LastEvaluation & { readonly at: number }>();
  let checkedUntil: number | undefined;
  return {
    async due() {
      const now = clock.now();
      const ended =
        checkedUntil === undefined
          ? []
          : await store.alerts.endedSince(Math.min(checkedUntil, now) - overlapMs, endsAtATime);
      const troubled = new Map((await store.alerts.troubledRuns()).map(({ sync, run }) => [sync, run]));
      const paused = (await store.pauses.list(now)).map(({ sync }) => sync);
      const counting = await store.leavers.counting(now);
      checkedUntil = now;
      const due = syncs.filter((sync) => {
        // A pause prolongs the time to catch up, even while nothing else happens.
        sync.isExcused(now, paused.includes(sync.name));
        const last = known.get(sync);
        const isLate = counting.some(({ sync: of, clockAt }) => {
          return of === sync.name && sync.leavers !== undefined && isAtRisk(clockAt, sync.leavers.target, now);
        });
        if (
          last === undefined ||
          last.isOpen ||
          isLate ||
          ended.some((run) => run.sync === sync.name) ||
          troubled.has(sync.name)
        )
          return true;
        if (now < last.at || now >= last.at + atLeastEveryMs) return true;
        return last.freshAt !== undefined && last.freshAt < (sync.staleBefore(now) ?? Number.NEGATIVE_INFINITY);
      });
      return due.map((sync) => ({ sync, troubledRun: troubled.get(sync.name) }));
    },
    evaluated(sync, last) {
      known.set(sync, { ...last, at: clock.now() });
    },
  };
}

const checkEveryMs = 5000;
const oneCheckMs = 30_000;

/** Evaluates alerts every few seconds. No evaluation waits for a channel to deliver. */
export interface AlertChecks {
  /** Begins an evaluation, unless one is under way or was just made. */
  begin(signal: AbortSignal): Promise<void>;
  /** Resolves when the evaluation under way, and what it sends, has ended. */
  ended(): Promise<void>;
}

interface AlertChecksIo {
  readonly store: Pick<Store, 'fault'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

export function openAlertChecks(alerts: Alerts, io: AlertChecksIo, memory: ProcessMemory = freshMemory()): AlertChecks {
  const { store, clock, logger } = io;
  let checking: Promise<void> | undefined;
  const sending = new Set<Promise<void>>();
  let nextAt = 0;
  /** Evaluates, and passes on for how long the store took no write before. */
  const evaluate = async (signal: AbortSignal): Promise<void> => {
    const startedAt = clock.now();
    const fault = await store.fault(startedAt);
    if (fault !== undefined) {
      storeFails(startedAt, fault);
      return fault === olderCopy ? alerts.refuseStore(startedAt) : undefined;
    }
    const outage = memory.away === undefined ? undefined : { ...memory.away, until: startedAt };
    try {
      await alerts.evaluate(signal, outage);
    } catch (error) {
      if (!isStoreAway(error)) throw error;
      return storeFails(startedAt, 'it does not answer');
    }
    memory.away = undefined;
    if (outage === undefined || outage.until - outage.from < outageToldMs) return;
    logger.warn(
      { awayMs: outage.until - outage.from },
      `the store is available again after ${ageOf(outage.until - outage.from)}`,
    );
  };
  const storeFails = (from: number, fault: string): void => {
    if (memory.away?.fault !== fault)
      logger.error({ fault }, `the store takes no write, because ${fault}: no alert can be stored until that is over`);
    memory.away = { from: memory.away?.from ?? from, fault };
  };
  return {
    async begin(signal) {
      if (checking !== undefined || clock.now() < nextAt) return;
      nextAt = clock.now() + checkEveryMs;
      checking = evaluate(signal)
        .catch((error: unknown) => {
          if (!signal.aborted)
            logger.error(
              { error: describeError(error) },
              'alerts could not be evaluated; Rollcall tries again in a few seconds',
            );
        })
        .finally(() => {
          checking = undefined;
          const sent = alerts.send(signal).finally(() => sending.delete(sent));
          sending.add(sent);
        });
    },
    async ended() {
      await checking;
      await Promise.all(sending);
    },
  };
}

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
