import type { ChangeKind } from '../core/change.ts';
import type { ChangeState, Outcome } from '../core/run.ts';

/** `critical`: the platform is drifting away from the source now; `warning`: somebody should look today. */
export type Severity = 'warning' | 'critical';

/** What alerts are grouped by: one sync or one connection. */
export interface AlertSubject {
  readonly kind: 'sync' | 'connection';
  readonly name: string;
}

/**
 * What can be wrong with a subject, each well or unwell for itself: `run` (the last run failed, or part of it),
 * `held` (something waits for approval), `freshness` (no success for too long), `token` (a connection's tokens).
 */
export type AlertTopic = 'run' | 'held' | 'freshness' | 'token';

/** One thing that is wrong, in words for a tired person. Names people by identification only; holds no secret. */
export interface AlertProblem {
  readonly topic: AlertTopic;
  readonly severity: Severity;
  /** Equal for the same trouble however its numbers move: another key is another reason, and told anew. */
  readonly key: string;
  /** What, and how many. One sentence. */
  readonly summary: string;
  /** The first reasons and rows. */
  readonly details: readonly string[];
  /** What is not affected. */
  readonly unaffected: string | undefined;
  /** The command to act, with a word why. */
  readonly action: string;
}

/** How a topic stands in the memory of alerts. A topic that is well is not there. */
export interface KnownProblem {
  readonly severity: Severity;
  /** The worst that was told of it since it began. */
  readonly worst: Severity;
  readonly key: string;
  readonly summary: string;
  readonly since: number;
}

/** What was last told about a subject. */
export interface AlertState {
  readonly subject: AlertSubject;
  /** Raised by every write, so that two processes never both tell the same. 0: not stored yet. */
  readonly version: number;
  readonly problems: Readonly<Partial<Record<AlertTopic, KnownProblem>>>;
  /** When the subject was first looked at: freshness counts from here while nothing has ever succeeded. */
  readonly firstSeenAt: number;
  /** Runs that ended up to here have been judged. */
  readonly judgedUntil: number;
  /** The judged runs that ended shortly before that: a run that was written late is not judged twice, nor missed. */
  readonly judgedRuns: readonly string[];
}

/** What is told: about one subject, everything that changed at one look. */
export interface AlertNotice {
  /** The same in every copy of it: whoever gets a notice twice can tell. */
  readonly id: string;
  readonly kind: 'problem' | 'recovery' | 'test';
  readonly subject: AlertSubject;
  /** Of the worst that is told, or that is over. */
  readonly severity: Severity;
  readonly at: number;
  /** What is new, or worse, or for another reason. */
  readonly problems: readonly AlertProblem[];
  /** What is over. */
  readonly recovered: readonly RecoveredProblem[];
  /** Topics that stay wrong and were told before. */
  readonly standing: readonly AlertTopic[];
}

export interface RecoveredProblem {
  readonly topic: AlertTopic;
  readonly severity: Severity;
  readonly summary: string;
  readonly since: number;
}

/** One copy of a notice for one channel, to be sent until it is delivered or too old. */
export interface AlertDelivery {
  readonly notice: AlertNotice;
  readonly channel: string;
  readonly state: 'waiting' | 'delivered' | 'given-up';
  readonly tries: number;
  readonly nextAt: number;
  readonly endedAt: number | undefined;
  /** Why the last try failed. */
  readonly error: string | undefined;
}

/** What became of one try. */
export type DeliveryResult =
  | { readonly kind: 'delivered'; readonly at: number }
  | { readonly kind: 'again'; readonly nextAt: number; readonly error: string }
  | { readonly kind: 'given-up'; readonly at: number; readonly error: string };

/** A run that has ended, as far as alerts and metrics look at it. */
export interface EndedRun {
  readonly id: string;
  readonly endedAt: number;
}

/** When a sync was last tried, and when it last did its job. Runs about everybody only. */
export interface LastRuns {
  readonly attemptAt: number | undefined;
  readonly successAt: number | undefined;
}

/** Changes of one kind in one state. */
export interface ChangeResult {
  readonly kind: ChangeKind;
  readonly state: ChangeState;
  readonly count: number;
}

/** Outcomes after which the platform has what may go there by itself. */
export const successOutcomes: readonly Outcome[] = ['succeeded', 'nothing-to-do', 'held', 'exported'];

/** The memory of alerts, and the notices on their way out (an outbox: what is told is stored before it is sent). */
export interface AlertBook {
  state(subject: AlertSubject): Promise<AlertState | undefined>;
  /**
   * Stores `next` and puts the notices into the outbox, once per channel named, in one transaction; false, and nothing
   * done, when the state is no longer of `seenVersion` (0: there was none).
   */
  save(seenVersion: number, next: AlertState, outgoing: readonly OutgoingNotice[]): Promise<boolean>;
  /**
   * Takes deliveries that are due for the caller until `until`. Of each channel and subject only the oldest that waits:
   * a recovery never overtakes its problem.
   */
  claim(channels: readonly string[], now: number, until: number): Promise<readonly AlertDelivery[]>;
  settle(notice: string, channel: string, result: DeliveryResult): Promise<void>;
  /** Newest notice first. */
  list(limit: number): Promise<readonly AlertDelivery[]>;
  /** Drops notices made before `before`, also those that wait for a channel which is configured no more. */
  prune(before: number): Promise<number>;
  /** Runs of the sync that ended at `since` or later, oldest first; without `since` the newest alone. */
  endedRuns(sync: string, since: number | undefined, limit: number): Promise<readonly EndedRun[]>;
  lastRuns(sync: string): Promise<LastRuns>;
  /** How many changes of a run's plan stand in each state, by kind. */
  changeResults(run: string): Promise<readonly ChangeResult[]>;
}

export interface OutgoingNotice {
  readonly notice: AlertNotice;
  readonly channels: readonly string[];
}

/* ---- channels ---- */

/** A value that is shown only to whom it is for. */
export interface Revealable {
  reveal(): string;
}

interface ChannelBase {
  /** Unique in the configuration. */
  readonly name: string;
  /** Absent: both. */
  readonly severities?: readonly Severity[];
  /** Absent: every sync, and every connection. With it, the connections of these syncs. */
  readonly syncs?: readonly string[];
}

export type ChannelSettings = ChannelBase &
  (
    | { readonly kind: 'webhook'; readonly url: Revealable; readonly secret?: Revealable }
    | { readonly kind: 'slack'; readonly url: Revealable }
    | { readonly kind: 'teams'; readonly url: Revealable }
    | {
        readonly kind: 'email';
        /** `smtp://` (STARTTLS required unless `insecure` or on this machine) or `smtps://`, with name and password. */
        readonly url: Revealable;
        readonly from: string;
        readonly to: readonly string[];
        readonly insecure: boolean;
      }
    | { readonly kind: 'pagerduty'; readonly url?: Revealable; readonly routingKey: Revealable }
  );

/** A way to tell people. */
export interface Channel {
  readonly settings: ChannelSettings;
  /** Resolves once the other side has taken it. Rejects with words that hold no secret, and by the signal. */
  send(notice: AlertNotice, signal: AbortSignal): Promise<void>;
}

/* ---- what people ask about alerts ---- */

export interface ChannelView {
  readonly name: string;
  readonly kind: ChannelSettings['kind'];
  readonly severities: readonly Severity[];
  /** Undefined: all. */
  readonly syncs: readonly string[] | undefined;
}

export interface ChannelTest {
  readonly channel: string;
  readonly kind: ChannelSettings['kind'];
  /** Undefined: it was taken. */
  readonly error: string | undefined;
}

/** A problem that was told and is not over. */
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
