import type { Finding } from '../core/run/finding.ts';
import type { Watermark } from '../core/run/next-read.ts';
import type { RequestCounts } from '../core/run/requests.ts';
import type { Counts, Outcome, Phase } from '../core/run/run.ts';
import type { Lease } from './leases.ts';
import type { RunFacts } from './run-facts.ts';

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
 * The people of a run: all people, or named people only (a point read, which never shows a leaver by absence).
 * `isFull`: a full read is made, although the sync allows a delta.
 */
export type RunScope =
  | { readonly kind: 'all'; readonly isFull?: true }
  | { readonly kind: 'users'; readonly identifications: readonly string[] };

export type TriggerState =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'taken'; readonly run: string }
  | { readonly kind: 'cancelled' };

export interface Triggers {
  /** Stores the trigger. Returns false when its key exists already. */
  add(trigger: Trigger): Promise<boolean>;
  /** Returns waiting triggers, oldest first. */
  waiting(sync?: string): Promise<readonly Trigger[]>;
  /** Returns the syncs with a waiting trigger that are not paused, in order of name. */
  waitingSyncs(): Promise<readonly string[]>;
  /** Returns the state of a trigger: waiting, or the run that it started or was coalesced into. */
  state(id: string): Promise<TriggerState | undefined>;
  get(id: string): Promise<KeyedTrigger | undefined>;
  /** Returns the trigger of a key, as it was first stored. */
  find(key: string): Promise<KeyedTrigger | undefined>;
  /**
   * Returns the newest schedule slot ever stored for the sync: `requestedAt` of its newest trigger of kind `schedule`.
   */
  lastSlot(sync: string): Promise<number | undefined>;
  /** Returns when the run was first asked for: `requestedAt` of its oldest trigger. Undefined when none is kept. */
  requestedAt(run: string): Promise<number | undefined>;
  /** Cancels a waiting trigger without a run. */
  cancel(id: string): Promise<boolean>;
}

export interface Run {
  readonly id: string;
  readonly sync: string;
  readonly connection: string;
  readonly trigger: TriggerKind;
  readonly scope: RunScope;
  /** A run in an unknown phase belongs to a newer version: display it, but do not change it. See `isKnownPhase`. */
  readonly phase: Phase | UnknownState;
  readonly startedAt: number;
  readonly endedAt: number | undefined;
  readonly outcome: Outcome | UnknownState | undefined;
  /** The reason as a sentence, when the outcome needs one. */
  readonly reason: string | undefined;
  readonly digest: string | undefined;
  readonly counts: Counts;
  readonly facts: RunFacts;
  /** Requests to the platform so far. Those of a killed worker's last step may be missing. */
  readonly requests: RequestCounts;
  readonly isCancelRequested: boolean;
}

/** A run under our lease: the only handle that can write its rows. */
export interface OwnedRun {
  readonly run: Run;
  readonly lease: Lease;
}

export interface Runs {
  /**
   * Opens a run for the oldest waiting triggers of a sync, unless one is open. Triggers about all people are coalesced, and
   * so are those about named people: the run is about everyone whom they name, at most `mostJoined` people. Among triggers
   * about all people, one that requests a full read makes the run's read full. Returns the open run when there is one
   * (`isNew: false`), undefined when no run is open, and no trigger is waiting or the sync is paused.
   */
  open(
    sync: string,
    make: { id: string; connection: string; now: number },
  ): Promise<{ run: Run; isNew: boolean } | undefined>;
  get(id: string): Promise<Run | undefined>;
  /** Returns the newest run first; `after`: only runs that follow this one in that order. */
  list(filter: RunFilter): Promise<readonly Run[]>;
  /** Returns runs that have not ended, of all syncs, or of one connection. */
  unfinished(): Promise<readonly Run[]>;
  /** Updates the run. `also` is part of the same transaction; a watermark of undefined removes the stored one. */
  update(owned: OwnedRun, patch: RunPatch, also?: { readonly watermark: Watermark | undefined }): Promise<OwnedRun>;
  /** Changes some facts of the run and keeps the others as they are stored. `undefined` removes a fact. */
  updateFacts(owned: OwnedRun, patch: FactsPatch): Promise<void>;
  /** Replaces the run's findings, because planning can be repeated after a crash. */
  replaceFindings(owned: OwnedRun, findings: readonly Finding[]): Promise<void>;
  /** Appends findings, in order, to the stored ones. */
  addFindings(owned: OwnedRun, findings: readonly Finding[]): Promise<void>;
  findings(runId: string, limit?: number): Promise<readonly Finding[]>;
  findingsCount(runId: string): Promise<number>;
  /**
   * Asks the process that owns the run to stop at the next safe point. Returns false when the run has ended already.
   */
  requestCancel(runId: string): Promise<boolean>;
  /** Returns the last ended run of the sync whose source read was complete and full. */
  lastGood(sync: string): Promise<Run | undefined>;
  /**
   * Deletes the details of runs that ended before `before`; keeps the newest `keep` per sync. Returns how many. Deletes
   * all audit entries from before `others.audit`, regardless of their subject, and plans that were only shown and made
   * before `others.shown`. Both are `before` when absent.
   */
  prune(before: number, keep: number, others?: PruneOthers): Promise<number>;
}

/** Which runs of a list. Every given part must match. */
export interface RunFilter {
  readonly limit: number;
  readonly after?: Pick<Run, 'id' | 'startedAt'>;
  readonly sync?: string;
  /** `open`: it has not ended. */
  readonly outcome?: string;
  readonly trigger?: TriggerKind;
  /** Bounds of the start (epoch ms): from `since`, before `until`. */
  readonly since?: number;
  readonly until?: number;
}

export interface PruneOthers {
  readonly shown?: number;
  readonly audit?: number;
}

export type RunPatch = Partial<
  Pick<Run, 'endedAt' | 'reason' | 'digest' | 'counts' | 'facts' | 'requests'> & {
    readonly phase: Phase;
    /** When the phase began, for the timeline of the run. */
    readonly phaseAt: number;
    readonly outcome: Outcome | undefined;
  }
>;

export type FactsPatch = { readonly [Name in keyof RunFacts]?: RunFacts[Name] | undefined };

/** A trigger as it was stored, and its state. */
export interface KeyedTrigger {
  readonly trigger: Trigger;
  readonly state: TriggerState;
}

declare const unknown: unique symbol;

/**
 * A state that a newer version stored and that this version does not know. It is read and displayed unchanged. This
 * version never advances, recovers, ends or prunes its run.
 */
export type UnknownState = string & { readonly [unknown]: true };

const knownPhases: Readonly<Record<Phase, true>> = {
  reading: true,
  planning: true,
  delivering: true,
  proving: true,
  done: true,
};

/** All phases that this version knows. */
export const phases = Object.keys(knownPhases) as readonly Phase[];

/** Returns whether this version knows the phase and can work on a run in it. */
export function isKnownPhase(phase: Phase | UnknownState): phase is Phase {
  return Object.hasOwn(knownPhases, phase);
}
