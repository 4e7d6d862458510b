import type { ChangeKind } from '../core/change.ts';
import type { ChangeState, Outcome } from '../core/run.ts';

/** `critical`: the platform is drifting from the source now. `warning`: an operator needs to check it today. */
export type Severity = 'warning' | 'critical';

/** Alerts are grouped by subject: one sync or one connection. */
export interface AlertSubject {
  readonly kind: 'sync' | 'connection';
  readonly name: string;
}

/**
 * The independent topics of a subject: `run` (the last run failed, wholly or in part), `held` (changes wait for
 * approval), `freshness` (no success for too long), `token` (tokens of a connection).
 */
export type AlertTopic = 'run' | 'held' | 'freshness' | 'token';

/** One problem, in short and simple words. Names people by identification only; holds no secret. */
export interface AlertProblem {
  readonly topic: AlertTopic;
  readonly severity: Severity;
  /** Identity of the problem, independent of its numbers. Another key means another reason and causes a new notice. */
  readonly key: string;
  /** What is wrong, with the number. One sentence. */
  readonly summary: string;
  /** The first reasons and rows. */
  readonly details: readonly string[];
  /** What is not affected. */
  readonly unaffected: string | undefined;
  /** The command to run, with the reason. */
  readonly action: string;
}

/** The stored state of a topic with a problem. A topic without a problem has no entry. */
export interface KnownProblem {
  readonly severity: Severity;
  /** The highest severity that was sent since the problem began. */
  readonly worst: Severity;
  readonly key: string;
  readonly summary: string;
  readonly since: number;
}

/** The last sent alert state of a subject. */
export interface AlertState {
  readonly subject: AlertSubject;
  /** Incremented by every write, so that two processes never send the same notice. 0: not stored yet. */
  readonly version: number;
  readonly problems: Readonly<Partial<Record<AlertTopic, KnownProblem>>>;
  /** When the subject was first checked. Freshness counts from here until the first success. */
  readonly firstSeenAt: number;
  /** Runs that ended up to this instant are already evaluated. */
  readonly judgedUntil: number;
  /**
   * The evaluated runs that ended shortly before that instant. A run that is stored late is neither missed nor
   * evaluated twice.
   */
  readonly judgedRuns: readonly string[];
}

/** A notice about one subject: all changes found by one check. */
export interface AlertNotice {
  /** The same in every copy, so that a receiver can detect duplicates. */
  readonly id: string;
  readonly kind: 'problem' | 'recovery' | 'test';
  readonly subject: AlertSubject;
  /** The highest severity among the sent or recovered problems. */
  readonly severity: Severity;
  readonly at: number;
  /** Problems that are new, have a higher severity, or have another reason. */
  readonly problems: readonly AlertProblem[];
  /** Problems that are over. */
  readonly recovered: readonly RecoveredProblem[];
  /** Topics with a continuing problem that an earlier notice named. */
  readonly standing: readonly AlertTopic[];
}

export interface RecoveredProblem {
  readonly topic: AlertTopic;
  readonly severity: Severity;
  readonly summary: string;
  readonly since: number;
}

/** One copy of a notice for one channel. It is sent until it is delivered or too old. */
export interface AlertDelivery {
  readonly notice: AlertNotice;
  readonly channel: string;
  readonly state: 'waiting' | 'delivered' | 'given-up';
  readonly tries: number;
  readonly nextAt: number;
  readonly endedAt: number | undefined;
  /** Why the last attempt failed. */
  readonly error: string | undefined;
}

/** The result of one attempt. */
export type DeliveryResult =
  | { readonly kind: 'delivered'; readonly at: number }
  | { readonly kind: 'again'; readonly nextAt: number; readonly error: string }
  | { readonly kind: 'given-up'; readonly at: number; readonly error: string };

/** The data of an ended run that alerts and metrics use. */
export interface EndedRun {
  readonly id: string;
  readonly endedAt: number;
}

/** When a sync last ran, and when it last succeeded. Only runs about all people count. */
export interface LastRuns {
  readonly attemptAt: number | undefined;
  readonly successAt: number | undefined;
}

/** The number of changes of one kind in one state. */
export interface ChangeResult {
  readonly kind: ChangeKind;
  readonly state: ChangeState;
  readonly count: number;
}

/** Outcomes after which the platform has every change that needs no approval. */
export const successOutcomes: readonly Outcome[] = ['succeeded', 'nothing-to-do', 'held', 'exported'];

/** The stored alert states, and the outbox of notices: a notice is stored before it is sent. */
export interface AlertBook {
  state(subject: AlertSubject): Promise<AlertState | undefined>;
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
  /** Returns the newest notice first. */
  list(limit: number): Promise<readonly AlertDelivery[]>;
  /** Deletes notices created before `before`, including those for channels that are no longer configured. */
  prune(before: number): Promise<number>;
  /**
   * Returns runs of the sync that ended at `since` or later, oldest first. Without `since`, returns only the newest.
   */
  endedRuns(sync: string, since: number | undefined, limit: number): Promise<readonly EndedRun[]>;
  /** Returns the syncs that have a run that ended at `since` or later. */
  syncsWithEnds(since: number): Promise<readonly string[]>;
  lastRuns(sync: string): Promise<LastRuns>;
  /** Counts the changes of a run's plan by kind and state. */
  changeResults(run: string): Promise<readonly ChangeResult[]>;
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
  /** Absent: both. */
  readonly severities?: readonly Severity[];
  /** Absent: every sync and every connection. Otherwise these syncs and their connections. */
  readonly syncs?: readonly string[];
}

export type ChannelSettings = ChannelBase &
  (
    | { readonly kind: 'webhook'; readonly url: Revealable; readonly secret?: Revealable }
    | { readonly kind: 'slack'; readonly url: Revealable }
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
  );

/** A channel that delivers notices. */
export interface Channel {
  readonly settings: ChannelSettings;
  /**
   * Resolves when the receiver has accepted the notice. Rejects on failure, with a message without secrets, and when
   * the signal aborts.
   */
  send(notice: AlertNotice, signal: AbortSignal): Promise<void>;
}

/* ---- queries about alerts ---- */

export interface ChannelView {
  readonly name: string;
  readonly kind: ChannelSettings['kind'];
  readonly severities: readonly Severity[];
  /** Undefined: all syncs. */
  readonly syncs: readonly string[] | undefined;
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
  readonly topic: AlertTopic;
}

export interface AlertsReport {
  readonly channels: readonly ChannelView[];
  readonly standing: readonly StandingProblem[];
  /** Newest notice first. */
  readonly deliveries: readonly AlertDelivery[];
}
