import { RollcallError } from '../../core/run/errors.ts';
import {
  type AlertNotice,
  type AlertState,
  type AlertSubject,
  type AlertsReport,
  type AlertTopic,
  type Channel,
  type ChannelSettings,
  type ChannelTest,
  type ChannelView,
  type Quieted,
  type QuietOrder,
  severities,
} from '../../ports/alerts.ts';
import type { Clock, Egress, Logger, NewId } from '../../ports/runtime.ts';
import type { Store } from '../../ports/store.ts';
import { type LastEvaluation, openAttention } from './attention.ts';
import { openChannel } from './channels/registry.ts';
import { decideAlerts, type NoticeDraft } from './decide-alerts.ts';
import {
  type Evaluation,
  type EvaluationIo,
  evaluateSync,
  evaluateTokens,
  type WatchedConnection,
  type WatchedSync,
} from './evaluate.ts';
import type { Outage } from './judge-work.ts';
import { freshState, quietAlerts } from './quiet.ts';
import type { Place } from './render-notice.ts';
import { sendDue, sendOnce } from './send-due.ts';
import { openWorkWatch, type WatchedWork } from './watch-work.ts';

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
   * Evaluates every sync and connection, stores changes, and sends what is due. Several processes may call it at once, and
   * it may be killed at any instant: a notice is stored with its state, and sent until it is delivered (at least once) or
   * a day old. Never rejects because of a channel. `outage`: a time without the store that has just ended.
   */
  evaluate(signal: AbortSignal, outage?: Outage): Promise<void>;
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
    const { judgedUntil, judgedRuns, storeBackAt } = found;
    const back = storeBackAt === undefined ? {} : { storeBackAt };
    const next: AlertState = { ...state, judgedUntil, judgedRuns, ...back };
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
  const evaluateSubject = async (
    subject: AlertSubject,
    find: (before: AlertState) => Promise<Evaluation>,
  ): Promise<LastEvaluation> => {
    const before = (await store.alerts.state(subject)) ?? freshState(subject, clock.now());
    const found = await find(before);
    // When another process was faster, it has stored the notice.
    const isStored = await notify(before, found);
    return { isOpen: !isStored || hasProblem(before, found), freshAt: found.freshAt };
  };
  const deployment: AlertSubject = { kind: 'deployment', name: place.deployment };
  const subjects: readonly AlertSubject[] = [
    ...options.syncs.map(({ name }) => ({ kind: 'sync', name }) as const),
    ...options.connections.map(({ name }) => ({ kind: 'connection', name }) as const),
    deployment,
  ];
  const io: EvaluationIo = { store, clock };
  const attention = openAttention(options.syncs, options);
  const work = options.work === undefined ? undefined : openWorkWatch(options.work, io);
  return {
    async evaluate(signal, outage) {
      if (channels.length === 0) return;
      // The work comes first, and the connections before the syncs, so that what they explain is not a second problem.
      if (work !== undefined) await evaluateSubject(deployment, (before) => work.evaluate(before, outage));
      const isWorkDone = (await store.alerts.state(deployment))?.problems.work === undefined;
      for (const connection of options.connections) {
        signal.throwIfAborted();
        await evaluateSubject({ kind: 'connection', name: connection.name }, (before) =>
          evaluateTokens(connection, before, io),
        );
      }
      for (const due of await attention.due()) {
        signal.throwIfAborted();
        const subject = { kind: 'sync', name: due.sync.name } as const;
        attention.evaluated(
          due.sync,
          await evaluateSubject(subject, (before) => evaluateSync(due, before, { ...io, isWorkDone })),
        );
      }
      await sendDue(channels, options, signal);
    },
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
      const states = await Promise.all(subjects.map((subject) => store.alerts.state(subject)));
      const standing = states.flatMap((state) =>
        Object.entries(state?.problems ?? {}).map(([topic, problem]) => {
          return { ...problem, topic: topic as AlertTopic, subject: state?.subject ?? { kind: 'sync', name: '' } };
        }),
      );
      const muted = states.flatMap((state) =>
        state?.muted === undefined ? [] : [{ subject: state.subject, ...state.muted }],
      );
      return { channels: options.channels.map(toView), standing, muted, deliveries: await store.alerts.list(limit) };
    },
  };
}

function toView({ name, kind, severities: taken, syncs, afterMs, remindMs }: ChannelSettings): ChannelView {
  return { name, kind, severities: taken ?? severities, syncs, afterMs, remindMs };
}

function noSubject(name: string, subjects: readonly AlertSubject[]): RollcallError {
  const known = subjects.map((subject) => `${subject.kind} ${subject.name}`).join(', ');
  return new RollcallError(`no sync, connection or deployment is called ${name}; the configuration has: ${known}`, {
    code: 'USAGE',
  });
}

function noChannel(name: string | undefined, channels: readonly ChannelSettings[]): RollcallError {
  const known = channels.map((channel) => channel.name).join(', ');
  const message =
    known === ''
      ? 'no alerts are sent, because the configuration has no "alerts". Add a channel, then try again'
      : `no channel is called ${name}; the configuration has: ${known}`;
  return new RollcallError(message, { code: 'USAGE' });
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
