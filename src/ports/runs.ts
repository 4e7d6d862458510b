import type { CorrectionsFound } from '../core/person/corrections.ts';
import type { ChangeClass } from '../core/plan/change.ts';
import type { UndoOrder } from '../core/plan/undo.ts';
import type { RootCause } from '../core/run/errors.ts';
import type { DeliveryFacts, EndFacts, PlanFacts } from '../core/run/facts.ts';
import type { Finding } from '../core/run/finding.ts';
import type { ReadFact, Watermark } from '../core/run/next-read.ts';
import type { RequestCounts } from '../core/run/requests.ts';
import type { BatchState, Counts, Outcome, Phase } from '../core/run/run.ts';
import type { Waiting } from '../core/run/waiting.ts';
import type { FinalStatus } from '../core/run/waves.ts';
import type { Lease } from './leases.ts';
import type { LeaverUpdate } from './leavers.ts';
import type { AuditEntry } from './store-operations.ts';

export type TriggerKind = 'schedule' | 'manual' | 'resync' | 'approval' | 'retry' | 'undo' | 'webhook' | 'leavers';

export interface Trigger {
  readonly id: string;
  readonly sync: string;
  readonly kind: TriggerKind;
  /** Unique: a schedule slot (`people@2026-11-21T19:30Z`) or a request key. */
  readonly key: string;
  /** The time of a webhook may be in the future: no run takes it before. */
  readonly requestedAt: number;
  readonly scope: RunScope;
}

/**
 * The people of a run: all people, or named people only (a point read, which never shows a leaver by absence).
 * `isFull`: a full read is made, although the sync allows a delta. `undoes`: the run undoes what another run applied to
 * these people. `leavers`: the run only disables those of them who left, because another run cannot.
 */
export type RunScope =
  | { readonly kind: 'all'; readonly isFull?: true }
  | {
      readonly kind: 'users';
      readonly identifications: readonly string[];
      readonly undoes?: UndoOrder;
      readonly leavers?: LeaversOrder;
    };

/** Why leavers do not wait for the run that reads everyone. */
export interface LeaversOrder {
  /** The run that cannot disable them. */
  readonly run: string;
  /** A sentence without its full stop. */
  readonly because: string;
}

/** Returns what a run with this scope undoes; undefined for any other run. */
export function undoneBy(scope: RunScope): UndoOrder | undefined {
  return scope.kind === 'users' ? scope.undoes : undefined;
}

/** Returns why the run is about leavers alone; undefined for any other run. */
export function leaversOf(scope: RunScope): LeaversOrder | undefined {
  return scope.kind === 'users' ? scope.leavers : undefined;
}

/** The key of the request for such a run: one for each run that cannot disable its leavers. */
export function leaversKey(run: string): string {
  return `leavers of ${run}`;
}

export type TriggerState =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'taken'; readonly run: string }
  | { readonly kind: 'cancelled' };

export interface Triggers {
  /**
   * Stores the trigger and its entry of the audit. Returns false when its key exists, or, with `unlessPaused`, a pause.
   */
  add(trigger: Trigger, entry?: AuditEntry, unlessPaused?: boolean): Promise<boolean>;
  /** Returns waiting triggers, oldest first. */
  waiting(sync?: string): Promise<readonly Trigger[]>;
  /**
   * Returns the syncs with a waiting trigger that a run may take, and that are not paused, in order of name, with when the
   * oldest was requested.
   */
  waitingSyncs(now: number): Promise<ReadonlyMap<string, number>>;
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
  /** Returns who requested the run by hand. */
  requesters(run: string): Promise<readonly string[]>;
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
  /** The read of its plan. Undefined before the plan is stored. */
  readonly read: ReadFact | undefined;
  /* What the steps of the run found. Undefined before the step has stored it. */
  readonly plan: PlanFacts | undefined;
  readonly delivery: DeliveryFacts | undefined;
  readonly end: EndFacts | undefined;
  /** What the run waits for now. Undefined: it does not wait. */
  readonly waiting: Waiting | undefined;
  /** The last temporary problem of the run (epoch ms), which it retried. */
  readonly problem: { readonly at: number; readonly reason: string; readonly cause?: RootCause } | undefined;
  /** Requests to the platform so far. Those of a killed worker's last step may be missing. */
  readonly requests: RequestCounts;
  readonly isCancelRequested: boolean;
  /** The run ended and did its work: see `chooseOutcome`. */
  readonly isSuccess: boolean;
}

/** A run under our lease: the only handle that can write its rows. */
export interface OwnedRun {
  readonly run: Run;
  readonly lease: Lease;
}

/** A run that was in progress, or a new one. */
export type OpenedRun =
  | { readonly isNew: false; readonly run: Run }
  | {
      readonly isNew: true;
      readonly run: Run;
      /** Ids of the triggers that it takes. */
      readonly triggers: readonly string[];
      /** When the sync's last run ended (epoch ms). Undefined: there was none. */
      readonly lastEndedAt: number | undefined;
    };

export interface Runs {
  /**
   * Opens a run for the oldest waiting triggers of a sync, unless one is open. Triggers about all people are coalesced, and
   * so are those about named people: the run is about everyone whom they name, at most `mostJoined` people. Among triggers
   * about all people, one that requests a full read makes the run's read full. Returns the open run when there is one
   * (`isNew: false`), undefined when no run is open, and no trigger is waiting or the sync is paused.
   */
  open(sync: string, make: { id: string; connection: string; now: number }): Promise<OpenedRun | undefined>;
  get(id: string): Promise<Run | undefined>;
  /** Returns the newest run first; `after`: only runs that follow this one in that order. */
  list(filter: RunFilter): Promise<readonly Run[]>;
  /** Returns runs that have not ended, of all syncs, or of one connection. */
  unfinished(): Promise<readonly Run[]>;
  /** Updates the run; a digest seals its plan. `also` is part of the same transaction. */
  update(owned: OwnedRun, patch: RunPatch, also?: RunEffects): Promise<OwnedRun>;
  /** Changes some facts of the delivery and keeps the others as they are stored. `undefined` removes a fact. */
  updateDelivery(owned: OwnedRun, patch: DeliveryPatch): Promise<OwnedRun>;
  /** Appends findings, in order, to the stored ones. */
  addFindings(owned: OwnedRun, findings: readonly Finding[]): Promise<void>;
  findings(runId: string, limit?: number): Promise<readonly Finding[]>;
  findingsCount(runId: string): Promise<number>;
  /**
   * Asks the process that owns the run to stop at the next safe point. Returns false when the run has ended already.
   */
  requestCancel(runId: string): Promise<boolean>;
  /**
   * Deletes the details of runs that ended before `before`; keeps the newest `keep` per sync. Returns how many. Deletes
   * directories that were read before `before`, all audit entries from before `others.audit`, regardless of their subject,
   * plans that were only shown and made before `others.shown`, and previews that expired before `others.previews`. Each is
   * `before` when absent.
   */
  prune(before: number, keep: number, others?: PruneOthers): Promise<number>;
}

/** Which runs of a list. Every given part must match. */
export interface RunFilter {
  readonly limit: number;
  readonly after?: Pick<Run, 'id' | 'startedAt'>;
  readonly sync?: string;
  /** Any of these. */
  readonly syncs?: readonly string[];
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
  readonly previews?: number;
  /** Number of newest runs of a sync that keep their details, although they changed nothing. Absent: all of them. */
  readonly unchanged?: number;
}

export type RunPatch = Partial<
  Omit<
    Run,
    'id' | 'sync' | 'connection' | 'trigger' | 'scope' | 'startedAt' | 'isCancelRequested' | 'phase' | 'outcome'
  > & {
    readonly phase: Phase;
    /** When the phase began, for the timeline of the run. */
    readonly phaseAt: number;
    readonly outcome: Outcome | undefined;
  }
>;

export interface HoldFacts {
  readonly id: string;
  readonly sync: string;
  readonly run: string;
  readonly class: ChangeClass;
  readonly reason: string;
  /** Why changes that were left out of a decision were held first. Empty: not known. */
  readonly heldBefore?: string;
  readonly digest: string;
  /** Number of changes that the guard held, whatever became of them since. */
  readonly size: number;
  readonly heldAt: number;
  readonly expiresAt: number;
  /** `decided`: some changes were approved and the others rejected. */
  readonly state: 'open' | 'approved' | 'rejected' | 'decided' | 'expired';
}

/** A hold that a run opens: of all changes of the run's plan that are held and in the class. */
export type NewHold = Omit<HoldFacts, 'size'>;

export interface Batch {
  readonly id: string;
  readonly run: string;
  readonly sync: string;
  readonly connection: string;
  readonly number: number;
  readonly kind: 'csv' | 'direct' | 'outbox' | 'leaders';
  readonly size: number;
  readonly state: BatchState | UnknownState;
  readonly sentAt: number | undefined;
  readonly fileId: string | undefined;
  readonly fileName: string | undefined;
  /** The last status text that the platform returned. */
  readonly status: string | undefined;
  readonly polls: number;
  /** The final status of the file, once it is known. */
  readonly final: FinalStatus | undefined;
  readonly finalAt: number | undefined;
  readonly reason: string | undefined;
  /** The batch from which this one was split. */
  readonly parent: string | undefined;
}

/** A batch and its changes, by identification. */
export interface NewBatch {
  readonly batch: Batch;
  readonly identifications: readonly string[];
}

/** Returns the sync's next watermark from the stored one; undefined removes it. */
type NextWatermark = (last: Watermark | undefined) => Watermark | undefined;

/** What is stored together with an update of a run. */
export interface RunEffects {
  readonly watermark?: NextWatermark;
  /** Replace the run's findings, because planning can be repeated after a crash. */
  readonly findings?: readonly Finding[];
  /** Replace what HR has to correct. */
  readonly corrections?: CorrectionsFound;
  /** Are added to the run's findings. */
  readonly moreFindings?: readonly Finding[];
  /** Changes as `updateDelivery` does it. */
  readonly delivery?: DeliveryPatch;
  /** Are created as `Batches.create` does it. */
  readonly batches?: readonly NewBatch[];
  /**
   * Open the holds of the run's sealed plan. A hold of the same changes is renewed. Another open hold of the sync closes
   * in two cases: none of its changes is pending, or this run's holds contain all its pending changes. A hold without
   * changes is not opened.
   */
  readonly holds?: { readonly all: readonly NewHold[]; readonly now: number };
  /** Update the stated leavers of the sync. */
  readonly leavers?: LeaverUpdate;
  /** Give up the run's place in the queue of this name, and release its lease if the run holds it. */
  readonly leaves?: string;
}

/** What the delivery learns. `undefined` removes a fact. */
export type DeliveryPatch = { readonly [Name in keyof DeliveryFacts]?: DeliveryFacts[Name] | undefined };

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
