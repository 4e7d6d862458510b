import type { ChangeKind } from '../core/plan/change.ts';
import type { AlertCode, AlertTopic } from '../core/run/codes/code-names.ts';
import type { RootCause } from '../core/run/errors.ts';
import type { ChangeState, Outcome } from '../core/run/run.ts';
import type { Run } from './runs.ts';

/**
 * `critical`: the platform is drifting from the source now. `warning`: an operator needs to check it today. `info`:
 * something failed and recovered without an operator.
 */
export const severities = ['info', 'warning', 'critical'] as const;
export type Severity = (typeof severities)[number];

/** Alerts are grouped by subject: one sync, one connection, the host of an HR system, or the deployment as a whole. */
export interface AlertSubject {
  readonly kind: 'sync' | 'connection' | 'source' | 'deployment';
  readonly name: string;
}

/** A time in which the store took no write. */
export interface Outage {
  readonly from: number;
  readonly until: number;
  /** Why, in a few words: `its disk is full`. */
  readonly fault: string;
}

/** A configuration that a process could not read again. */
export interface RefusedReload {
  readonly at: number;
  readonly problems: readonly string[];
}

/** What a process measures above a limit, and still shows for a minute after it: since when, and how much (ms). */
export interface Lasting {
  readonly from: number;
  readonly ms: number;
}

/** What one process of the deployment sees. It writes this under its own name, and never decides about an alert. */
export interface Observation {
  /** Unique among the processes of the deployment, and known to the operator: the host, with the process id if needed. */
  readonly process: string;
  /** When it started, or read its configuration again. */
  readonly startedAt: number;
  /** A digest of the syncs, connections, reports and channels that it has, without the values of secrets. */
  readonly configuration?: string;
  /** It is written again before this instant (epoch ms). Otherwise the process is gone. */
  readonly until: number;
  /** The process has stopped. What it saw counts neither as trouble nor as over. */
  readonly isStopped?: true;
  readonly refusedReload?: RefusedReload;
  /** The last time without the store that is over. */
  readonly outage?: Outage;
  /** How long a write to the store takes. */
  readonly slow?: Lasting;
  /** How far the clock of its machine is ahead: see `Clock`. */
  readonly clockOff?: Lasting;
  /** The queue in Redis; `away`: Redis does not answer. Absent: without Redis. */
  readonly queue?: { readonly waiting: number; readonly oldestAt: number | undefined } | 'away';
}

/** The syncs that a shared cause concerns. */
export interface Concerned {
  /** Since when it concerns each sync, and when it was last seen there. */
  readonly syncs: Readonly<Record<string, { readonly from: number; readonly at: number }>>;
  readonly cause: RootCause;
  /** The newest reason as a sentence. */
  readonly reason: string;
  /** When it last worked again for one of them. */
  readonly goodAt?: number;
}

/** What the deployment can lack. `some-redis`: Redis answers some processes only. */
export type Lacked = 'scheduler' | 'worker' | 'redis' | 'some-redis' | 'free-worker';

/** Names with numbers or instants, in order of importance. */
export type Figures = readonly (readonly [name: string, value: number | string])[];

/** One problem, in short and simple words. Names people by identification only; holds no secret. */
export interface AlertProblem {
  readonly topic: AlertTopic;
  /** What `rollcall explain` and the runbook say about it. */
  readonly code: AlertCode;
  readonly severity: Severity;
  /** Identity of the problem, independent of its numbers. Another key means another reason and causes a new notice. */
  readonly key: string;
  /** What is wrong in a few words, for a title. Absent: the words of the code. */
  readonly title?: string;
  /** The numbers that an operator needs first. */
  readonly figures?: Figures;
  /** What is wrong, with the number. One sentence. */
  readonly summary: string;
  /** The first reasons and rows. */
  readonly details: readonly string[];
  /** When the trouble began, where it was there before it became a problem (epoch ms). */
  readonly from?: number;
  /** What is not affected. */
  readonly unaffected: string | undefined;
  /** What to do: one command, or one a line with its reason as a comment of the shell. */
  readonly action: string;
  /** How many people, changes or files it concerns. Ten times as many is worse. Absent: it has no number. */
  readonly count?: number;
  /** How many syncs or processes it concerns. The number is corrected once, and when it doubles. Absent: one. */
  readonly concerns?: number;
  /** Channels that it is about. They do not tell of themselves. */
  readonly channels?: readonly string[];
  /** The run that it is about. Notices about one run belong together: a thread, an incident. */
  readonly run?: string;
  /** The people of a run about named people. Absent: it is about all people. */
  readonly people?: readonly string[];
}

/** The stored state of a topic with a problem. A topic without a problem has no entry. */
export interface KnownProblem extends AlertProblem {
  /** The highest severity since the problem began. */
  readonly worst: Severity;
  readonly since: number;
  /** When it began, got worse, or changed its reason. */
  readonly newsAt: number;
  /** When each channel last got it. */
  readonly told: Readonly<Record<string, number>>;
  /** How often it has begun, each time soon after its end. */
  readonly times: number;
  /** Since when a problem that came back is over. The notice of its end follows when it stays over. */
  readonly wellSince?: number;
  /** `concerns` as the last notice told it. */
  readonly toldOf?: number;
  /** That notice corrected the number. */
  readonly isCorrected?: true;
  /** The keys that notices have had. Each key of a shared cause is news once. */
  readonly keys?: readonly string[];
  /** No reminder is sent until it gets worse or changes its reason. */
  readonly acked?: { readonly by: string; readonly at: number };
}

/** The last sent alert state of a subject. */
export interface AlertState {
  readonly subject: AlertSubject;
  /** Incremented by every write, so that two processes never send the same notice. 0: not stored yet. */
  readonly version: number;
  readonly problems: Readonly<Partial<Record<AlertTopic, KnownProblem>>>;
  /** No problem is sent before `until`. */
  readonly muted?: { readonly until: number; readonly by: string };
  /** When the subject was first checked. Freshness counts from here until the first success. */
  readonly firstSeenAt: number;
  /** Runs that ended up to this instant are already evaluated. */
  readonly judgedUntil: number;
  /**
   * The evaluated runs that ended shortly before that instant. A run that is stored late is neither missed nor
   * evaluated twice.
   */
  readonly judgedRuns: readonly string[];
  /** Until when the sync may be late, because it catches up. `hindered`: it cannot run now. Only for a sync. */
  readonly excusedUntil?: number | 'hindered';
  /** End of the last reported time without the store, so that it is reported once. Only for a deployment. */
  readonly storeBackAt?: number;
  /** Since when it is seen that something lacks. Only for a deployment. */
  readonly lacking?: Readonly<Partial<Record<Lacked, number>>>;
  /** Only for a connection or a source. */
  readonly concerned?: Readonly<Partial<Record<RootCause['topic'], Concerned>>>;
  /** Problems that ended lately: one that comes back soon is the same one. */
  readonly ended?: Readonly<Partial<Record<AlertTopic, EndedProblem>>>;
}

/** What is remembered of a problem that has ended. */
export interface EndedProblem extends Pick<KnownProblem, 'key' | 'since' | 'times'> {
  readonly endedAt: number;
}

/**
 * `problem`: new, worse or for another reason. `reminder`: still open. `note`: failed and recovered at the same
 * check.
 */
export type NoticeKind = 'problem' | 'reminder' | 'recovery' | 'note' | 'test';

/** A notice about one subject: all changes found by one check. */
export interface AlertNotice {
  /** The same in every copy, so that a receiver can detect duplicates. */
  readonly id: string;
  readonly kind: NoticeKind;
  readonly subject: AlertSubject;
  /** The highest severity among the sent or recovered problems. */
  readonly severity: Severity;
  readonly at: number;
  /** The problems that it is about; of a `note`, what is already over. */
  readonly problems: readonly AlertProblem[];
  /** Problems that are over. */
  readonly recovered: readonly RecoveredProblem[];
  /** Continuing problems that an earlier notice named. */
  readonly standing: readonly Pick<AlertProblem, 'topic' | 'code' | 'title'>[];
}

export interface RecoveredProblem {
  readonly topic: AlertTopic;
  readonly code: AlertCode;
  readonly severity: Severity;
  readonly summary: string;
  readonly since: number;
  readonly run?: string;
  /** How it ended, where this says more than that it is over; and a title for that, in place of the words of the code. */
  readonly end?: string;
  readonly endTitle?: string;
}

/** Returns what the notice belongs to: one run of a sync. Undefined: it stands alone. */
export function threadOf({ subject, problems, recovered }: AlertNotice): string | undefined {
  const run = [...problems, ...recovered].find((one) => one.run !== undefined)?.run;
  return run === undefined ? undefined : `${subject.kind} ${subject.name} ${run}`;
}

/** One copy of a notice for one channel. It is sent until it is delivered or too old. */
export interface AlertDelivery {
  readonly notice: AlertNotice;
  readonly channel: string;
  /** `unconfirmed`: the receiver answered 2xx twice, but not as it does when it took a notice. */
  readonly state: 'waiting' | 'delivered' | 'unconfirmed' | 'given-up';
  readonly tries: number;
  readonly nextAt: number;
  readonly endedAt: number | undefined;
  /** Why the last attempt failed. */
  readonly error: string | undefined;
  /** The receiver's id of the first notice that the channel delivered about the same thread. */
  readonly first: string | undefined;
}

/** The notices that a channel has tried to deliver and has not delivered, or not surely since its last sure one. */
export interface Undelivered {
  readonly channel: string;
  readonly notices: number;
  /** When the oldest of them was made. */
  readonly since: number;
  /** Why its last attempt failed. */
  readonly error?: string;
}

/** The result of one attempt. `receipt`: the receiver's id of the notice. */
export type DeliveryResult =
  | { readonly kind: 'delivered'; readonly at: number; readonly receipt: string | undefined }
  | { readonly kind: 'again'; readonly nextAt: number; readonly error: string }
  | { readonly kind: 'unconfirmed' | 'given-up'; readonly at: number; readonly error: string };

/** The data of an ended run that alerts and metrics use. */
export interface EndedRun {
  readonly id: string;
  readonly sync: string;
  readonly outcome: NonNullable<Run['outcome']>;
  readonly startedAt: number;
  readonly endedAt: number;
}

/** The number of changes of one kind in one state, in the plan of a run. */
export interface ChangeResult {
  readonly run: string;
  readonly kind: ChangeKind;
  readonly state: ChangeState;
  readonly count: number;
}

/** Outcomes after which the platform has every change that needs no approval. */
export const successOutcomes: readonly Outcome[] = ['succeeded', 'nothing-to-do', 'held', 'exported'];

/** The stored alert states, and the outbox of notices: a notice is stored before it is sent. */
export interface AlertBook {
  /** Returns every stored state, in one query. */
  states(): Promise<readonly AlertState[]>;
  state(subject: AlertSubject): Promise<AlertState | undefined>;
  /** Stores what a process sees, in place of what it saw before. */
  observe(seen: Observation): Promise<void>;
  /** Returns what the processes see, in order of name. Without those that are gone. */
  observations(now: number): Promise<readonly Observation[]>;
  /**
   * Stores `next` and adds the notices to the outbox, once per named channel, in one transaction. Returns false and
   * does nothing when the stored version differs from `seenVersion` (0: no state was stored).
   */
  save(seenVersion: number, next: AlertState, outgoing: readonly OutgoingNotice[]): Promise<boolean>;
  /**
   * Reserves due deliveries for the caller until `until`. Returns only the oldest pending one per channel and subject,
   * so that a recovery never overtakes its problem.
   */
  claim(channels: readonly string[], now: number, until: number): Promise<readonly AlertDelivery[]>;
  settle(notice: string, channel: string, result: DeliveryResult): Promise<void>;
  /** Returns those of the named channels that have a notice from before `before` which is still not delivered. */
  undelivered(channels: readonly string[], before: number): Promise<readonly Undelivered[]>;
  /** Returns the newest notice first. */
  list(limit: number): Promise<readonly AlertDelivery[]>;
  /** Deletes notices created before `before`, including those for channels that are no longer configured. */
  prune(before: number): Promise<number>;
  /** Returns runs that ended at `since` or later, oldest first; without it the newest first. `sync`: of this one only. */
  endedRuns(since: number | undefined, limit: number, sync?: string): Promise<readonly EndedRun[]>;
  /** Counts the changes of the plans of these runs by kind and state. */
  changeResults(runs: readonly string[]): Promise<readonly ChangeResult[]>;
}

export interface OutgoingNotice {
  readonly notice: AlertNotice;
  readonly channels: readonly string[];
}

/* ---- channels ---- */

/** A secret value that is revealed only to its intended receiver. */
export interface Revealable {
  reveal(): string;
}

interface ChannelBase {
  /** Unique in the configuration. */
  readonly name: string;
  /** Absent: all. */
  readonly severities?: readonly Severity[];
  /** How long a problem is open and not acknowledged before this channel gets it. 0: at once. */
  readonly afterMs: number;
  /** How often the channel is reminded of an open problem without an acknowledgement. Undefined: never. */
  readonly remindMs: number | undefined;
  /** Absent: every sync and every connection. Otherwise these syncs and their connections. */
  readonly syncs?: readonly string[];
  /** `any`: every 2xx means that the receiver took the notice. Absent: only the answer that this kind of receiver gives. */
  readonly accept?: 'any';
}

export type ChannelSettings = ChannelBase &
  (
    | { readonly kind: 'webhook'; readonly url: Revealable; readonly secret?: Revealable }
    | { readonly kind: 'slack'; readonly url: Revealable }
    /** Slack's Web API, which threads notices about one run. `url` overrides its address. */
    | { readonly kind: 'slack'; readonly token: Revealable; readonly channel: string; readonly url?: Revealable }
    | { readonly kind: 'teams'; readonly url: Revealable }
    | {
        readonly kind: 'email';
        /**
         * `smtp://` (requires STARTTLS, except with `insecure` or on this machine) or `smtps://`, with name and
         * password.
         */
        readonly url: Revealable;
        readonly from: string;
        readonly to: readonly string[];
        readonly insecure: boolean;
      }
    | { readonly kind: 'pagerduty'; readonly url?: Revealable; readonly routingKey: Revealable }
    | { readonly kind: 'opsgenie'; readonly url?: Revealable; readonly apiKey: Revealable }
    | { readonly kind: 'alertmanager'; readonly url: Revealable; readonly token?: Revealable }
  );

/** A channel that delivers notices. */
export interface Channel {
  readonly settings: ChannelSettings;
  /**
   * Resolves when the receiver has accepted the notice, with its id there, if it has one. `first`: the id of the first
   * notice of the same thread. Rejects on failure, with a message without secrets, and when the signal aborts.
   */
  send(notice: AlertNotice, signal: AbortSignal, first?: string): Promise<string | undefined>;
}

/* ---- queries about alerts ---- */

export interface ChannelView {
  readonly name: string;
  readonly kind: ChannelSettings['kind'];
  readonly severities: readonly Severity[];
  /** Undefined: all syncs. */
  readonly syncs: readonly string[] | undefined;
  readonly afterMs: number;
  readonly remindMs: number | undefined;
}

export interface ChannelTest {
  readonly channel: string;
  readonly kind: ChannelSettings['kind'];
  /** Undefined: the receiver accepted it. */
  readonly error: string | undefined;
}

/** A problem that was sent and is not over. */
export interface StandingProblem extends KnownProblem {
  readonly subject: AlertSubject;
  /** The syncs that a cause concerns. Absent: those of the subject. */
  readonly syncs?: readonly string[];
}

/** A subject of which no problem is sent before `until`. */
export interface MutedSubject {
  readonly subject: AlertSubject;
  readonly until: number;
  readonly by: string;
}

export interface AlertsReport {
  readonly channels: readonly ChannelView[];
  readonly standing: readonly StandingProblem[];
  readonly muted: readonly MutedSubject[];
  /** Newest notice first. */
  readonly deliveries: readonly AlertDelivery[];
}

/** A change to the alerts of a sync or connection by a person. `until`: epoch ms; undefined ends the mute. */
export type QuietOrder =
  | { readonly kind: 'ack'; readonly by: string; readonly at: number }
  | { readonly kind: 'mute'; readonly by: string; readonly at: number; readonly until: number }
  | { readonly kind: 'unmute' };

/** What a person quieted: a subject, and the number of its open problems. */
export interface Quieted {
  readonly subject: AlertSubject;
  readonly open: number;
}
