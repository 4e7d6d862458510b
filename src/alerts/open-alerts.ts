import type {
  AlertDelivery,
  AlertNotice,
  AlertProblem,
  AlertState,
  AlertSubject,
  AlertTopic,
  Channel,
  ChannelSettings,
} from '../ports/alerts.ts';
import type { Clock, Logger, NewId } from '../ports/runtime.ts';
import type { Store } from '../ports/store.ts';
import { openChannel } from './channels/registry.ts';
import { type AlertFacts, decideAlerts, type NoticeDraft } from './decide-alerts.ts';
import { judgeFreshness } from './judge-freshness.ts';
import { judgeHeld } from './judge-held.ts';
import { judgeRun } from './judge-run.ts';
import { judgeToken, type TokenView } from './judge-token.ts';
import { sendDue, sendOnce } from './send-due.ts';

/** A sync as alerts look at it. */
export interface WatchedSync {
  readonly name: string;
  readonly connection: string;
  /** The sync's last success must be as new as this; undefined: nothing is expected of it. */
  readonly staleBefore: (now: number) => number | undefined;
}

/** A connection as alerts look at it. */
export interface WatchedConnection {
  readonly name: string;
  token(): Promise<TokenView>;
}

export interface AlertsOptions {
  readonly channels: readonly ChannelSettings[];
  readonly syncs: readonly WatchedSync[];
  readonly connections: readonly WatchedConnection[];
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly newId: NewId;
  /** 0 ≤ x < 1, for jitter. */
  readonly random: () => number;
}

export interface ChannelTest {
  readonly channel: string;
  readonly kind: ChannelSettings['kind'];
  /** Undefined: it was taken. */
  readonly error: string | undefined;
}

/** Tells people. Without channels it looks at nothing and stores nothing. */
export interface Alerts {
  readonly channels: readonly ChannelSettings[];
  /**
   * Looks at every sync and connection, stores what has changed, and sends what is due. Safe to call from several
   * processes at once, and to kill at any instant: a notice is stored with the state that it tells of, and sent until it
   * is delivered (at least once) or a day old. Never rejects for a channel's sake.
   */
  look(signal: AbortSignal): Promise<void>;
  /** Sends a test notice now, past the outbox. `only`: the name of one channel. */
  test(only: string | undefined, signal: AbortSignal): Promise<readonly ChannelTest[]>;
  list(limit: number): Promise<readonly AlertDelivery[]>;
}

export function openAlerts(options: AlertsOptions): Alerts {
  const { store, clock, logger, newId } = options;
  const channels = options.channels.map((settings) => openChannel(settings, clock));
  const tell = async (before: AlertState, found: Found): Promise<boolean> => {
    const notices: NoticeDraft[] = [];
    let state = before;
    for (const facts of found.facts) {
      const decided = decideAlerts(state, facts);
      state = decided.state;
      notices.push(...decided.notices);
    }
    const { judgedUntil, judgedRuns } = found;
    const next: AlertState = { ...state, judgedUntil, judgedRuns };
    if (before.version > 0 && notices.length === 0 && isSame(before, next)) return true;
    const outgoing = notices.map((draft) => {
      const notice: AlertNotice = { ...draft, id: newId('alert') };
      return { notice, channels: channelsFor(notice, channels, options.syncs) };
    });
    const isStored = await store.alerts.save(before.version, next, outgoing);
    for (const { notice } of isStored ? outgoing : []) {
      const { kind, severity, subject } = notice;
      const topics = [...notice.problems, ...notice.recovered].map(({ topic }) => topic);
      logger.warn({ notice: notice.id, kind, severity, [subject.kind]: subject.name, topics }, 'people are told');
    }
    return isStored;
  };
  const lookAt = async (subject: AlertSubject, find: (before: AlertState) => Promise<Found>): Promise<void> => {
    const before = (await store.alerts.state(subject)) ?? freshState(subject, clock.now());
    // Whoever was faster has told it.
    await tell(before, await find(before));
  };
  const io: LookIo = { store, clock };
  return {
    channels: options.channels,
    async look(signal) {
      if (channels.length === 0) return;
      for (const sync of options.syncs) {
        signal.throwIfAborted();
        await lookAt({ kind: 'sync', name: sync.name }, (before) => lookAtSync(sync, before, io));
      }
      for (const connection of options.connections) {
        signal.throwIfAborted();
        await lookAt({ kind: 'connection', name: connection.name }, (before) => lookAtTokens(connection, before, io));
      }
      await sendDue(channels, options, signal);
    },
    async test(only, signal) {
      const wanted = channels.filter(({ settings }) => only === undefined || settings.name === only);
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
          return { channel: name, kind, error: await sendOnce(channel, notice, signal) };
        }),
      );
    },
    list: (limit) => store.alerts.list(limit),
  };
}

interface LookIo {
  readonly store: Store;
  readonly clock: Clock;
}

/** What one look found, in the order in which it happened. */
interface Found {
  readonly facts: readonly AlertFacts[];
  readonly judgedUntil: number;
  readonly judgedRuns: readonly string[];
}

/** Runs are written by clocks that may differ: one that ended up to so long before another is still looked for. */
const overlapMs = 60_000;
const runsAtATime = 100;

async function lookAtSync(sync: WatchedSync, before: AlertState, { store, clock }: LookIo): Promise<Found> {
  const now = clock.now();
  // Of the time before anybody was told, only the newest run matters.
  const since = before.version === 0 ? undefined : before.judgedUntil - overlapMs;
  const recent = await store.alerts.endedRuns(sync.name, since, runsAtATime);
  const ended = recent.filter(({ id }) => !before.judgedRuns.includes(id));
  const facts: AlertFacts[] = [];
  let newest: Parameters<typeof judgeHeld>[1];
  for (const { id, endedAt } of ended) {
    const run = await store.runs.get(id);
    if (run === undefined) continue;
    newest = run;
    const judged = await judgeRun(run, store);
    facts.push({ at: endedAt, topics: judged === undefined ? {} : { run: judged } });
  }
  const topics: Partial<Record<AlertTopic, AlertProblem | 'well'>> = { ...facts.pop()?.topics };
  const held = await judgeHeld(sync.name, newest, store, now);
  if (held !== undefined) topics.held = held;
  const staleBefore = sync.staleBefore(now);
  const isPaused = staleBefore !== undefined && (await store.pauses.get(sync.name)) !== undefined;
  if (staleBefore !== undefined && !isPaused) {
    const last = await store.alerts.lastRuns(sync.name);
    const { firstSeenAt } = before;
    topics.freshness = judgeFreshness({ sync: sync.name, last, firstSeenAt, staleBefore, now });
  }
  const judgedUntil = ended.reduce((until, { endedAt }) => Math.max(until, endedAt), before.judgedUntil);
  const judgedRuns = recent.filter(({ endedAt }) => endedAt >= judgedUntil - overlapMs).map(({ id }) => id);
  const isLast = ended.length === 0 && before.version > 0;
  return {
    facts: [...facts, { at: now, topics }],
    judgedUntil,
    judgedRuns: isLast ? before.judgedRuns : judgedRuns,
  };
}

async function lookAtTokens(connection: WatchedConnection, before: AlertState, { clock }: LookIo): Promise<Found> {
  const token = judgeToken(connection.name, await connection.token(), clock.now());
  const { judgedUntil, judgedRuns } = before;
  return { facts: [{ at: clock.now(), topics: token === undefined ? {} : { token } }], judgedUntil, judgedRuns };
}

function freshState(subject: AlertSubject, now: number): AlertState {
  return { subject, version: 0, problems: {}, firstSeenAt: now, judgedUntil: 0, judgedRuns: [] };
}

function isSame(a: AlertState, b: AlertState): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Those whom the notice is for. A connection's troubles are for whoever hears of a sync that uses it. */
function channelsFor(notice: AlertNotice, channels: readonly Channel[], syncs: readonly WatchedSync[]): string[] {
  const { subject, severity } = notice;
  const concerned =
    subject.kind === 'sync'
      ? [subject.name]
      : syncs.filter(({ connection }) => connection === subject.name).map(({ name }) => name);
  return channels
    .map(({ settings }) => settings)
    .filter(({ severities }) => severities === undefined || severities.includes(severity))
    .filter((channel) => channel.syncs === undefined || channel.syncs.some((name) => concerned.includes(name)))
    .map(({ name }) => name);
}
