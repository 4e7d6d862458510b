import type { Finding } from '../core/finding.ts';
import type { Watermark } from '../core/next-read.ts';
import type { Counts, Outcome, Phase } from '../core/run.ts';
import type { Lease } from './leases.ts';
import type { RunFacts } from './run-facts.ts';
import type { UnknownState } from './unknown-state.ts';

export type TriggerKind = 'schedule' | 'manual' | 'resync' | 'approval' | 'retry' | 'webhook';

export interface Trigger {
  readonly id: string;
  readonly sync: string;
  readonly kind: TriggerKind;
  /** Unique: a schedule slot (`people@2026-11-21T19:30Z`) or a request key. */
  readonly key: string;
  readonly requestedAt: number;
  readonly scope: RunScope;
}

/**
 * Whom a run is about: everybody, or named people only (a point read: never a leaver by absence). `isFull`: everybody is
 * read, though the sync would be content with who has changed.
 */
export type RunScope =
  | { readonly kind: 'all'; readonly isFull?: true }
  | { readonly kind: 'users'; readonly identifications: readonly string[] };

export type TriggerState =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'taken'; readonly run: string }
  | { readonly kind: 'cancelled' };

export interface Triggers {
  /** Stores it; false when its key was there already. */
  add(trigger: Trigger): Promise<boolean>;
  /** Waiting triggers, oldest first. */
  waiting(sync?: string): Promise<readonly Trigger[]>;
  /** Where a trigger stands: waiting, or the run that it started or was coalesced into. */
  state(id: string): Promise<TriggerState | undefined>;
  /** The trigger of a key, as it was stored first. */
  find(key: string): Promise<KeyedTrigger | undefined>;
  /** The newest schedule slot ever stored for the sync: `requestedAt` of its newest trigger of kind `schedule`. */
  lastSlot(sync: string): Promise<number | undefined>;
  /** Takes a waiting trigger out without a run. */
  cancel(id: string): Promise<boolean>;
}

export interface Run {
  readonly id: string;
  readonly sync: string;
  readonly connection: string;
  readonly trigger: TriggerKind;
  readonly scope: RunScope;
  /** A run in an unknown phase belongs to a newer version: show it, and leave it alone. See `isKnownPhase`. */
  readonly phase: Phase | UnknownState;
  readonly startedAt: number;
  readonly endedAt: number | undefined;
  readonly outcome: Outcome | UnknownState | undefined;
  /** A sentence why, when the outcome needs one. */
  readonly reason: string | undefined;
  readonly digest: string | undefined;
  readonly counts: Counts;
  readonly facts: RunFacts;
  readonly isCancelRequested: boolean;
}

/** A run under our lease: the only handle through which its rows can be written. */
export interface OwnedRun {
  readonly run: Run;
  readonly lease: Lease;
}

export interface Runs {
  /**
   * Opens a run for the oldest waiting triggers of a sync, coalescing those of equal scope, unless one is open. Of those
   * about everybody one that wants a full read is enough for the run to make one.
   * Returns the open run when there is one (`isNew: false`), undefined when nothing waits and none is open.
   */
  open(
    sync: string,
    make: { id: string; connection: string; now: number },
  ): Promise<{ run: Run; isNew: boolean } | undefined>;
  get(id: string): Promise<Run | undefined>;
  /** Newest first; `after`: those that come behind this run in that order. */
  list(filter: { sync?: string; limit: number; after?: Pick<Run, 'id' | 'startedAt'> }): Promise<readonly Run[]>;
  /** Runs that have not ended, of every sync, or of one connection. */
  unfinished(): Promise<readonly Run[]>;
  /** `also`: in the same transaction; a watermark of undefined takes the one that is there away. */
  update(owned: OwnedRun, patch: RunPatch, also?: { readonly watermark: Watermark | undefined }): Promise<OwnedRun>;
  /** Replaces the run's findings: planning may be done again after a crash. */
  replaceFindings(owned: OwnedRun, findings: readonly Finding[]): Promise<void>;
  /** Adds findings, in order, after those that are there. */
  addFindings(owned: OwnedRun, findings: readonly Finding[]): Promise<void>;
  findings(runId: string, limit?: number): Promise<readonly Finding[]>;
  findingsCount(runId: string): Promise<number>;
  /** Asks whoever runs it to stop at the next safe place. False when it has ended already. */
  requestCancel(runId: string): Promise<boolean>;
  /** Last ended run of the sync whose source read was complete and full. */
  lastGood(sync: string): Promise<Run | undefined>;
  /**
   * Drops the details of runs that ended before `before`; keeps the newest `keep` per sync. Returns how many. What the
   * audit holds from before `before` goes whatever it is about. Plans that were only shown go when they were made
   * before `shownBefore` (`before` when absent).
   */
  prune(before: number, keep: number, shownBefore?: number): Promise<number>;
}

export type RunPatch = Partial<
  Pick<Run, 'endedAt' | 'reason' | 'digest' | 'counts' | 'facts'> & {
    readonly phase: Phase;
    readonly outcome: Outcome | undefined;
  }
>;

/** A trigger that was stored under a key, and where it stands. */
export interface KeyedTrigger {
  readonly trigger: Trigger;
  readonly state: TriggerState;
}
