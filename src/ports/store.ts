import type { Change, ChangeClass, ChangeKind } from '../core/change.ts';
import type { FieldName } from '../core/fields.ts';
import type { Finding } from '../core/finding.ts';
import type { LedgerEntry } from '../core/ledger.ts';
import type { Watermark } from '../core/next-read.ts';
import type { Roster, RosterHeader, RosterPage } from '../core/roster.ts';
import type { BatchState, ChangeState, Counts, Outcome, Phase } from '../core/run.ts';
import type { AlertBook } from './alerts.ts';
import type { Decisions } from './decisions.ts';
import type { Holds } from './holds.ts';
import type { Lease, Leases } from './leases.ts';
import type { Reads } from './reads.ts';
import type { RunFacts } from './run-facts.ts';
import type { Audit, KeyedTrigger, Pauses } from './store-operations.ts';
import type { TokenStore } from './token-store.ts';
import type { UnknownState } from './unknown-state.ts';

export type { Watermark } from '../core/next-read.ts';
export type { ChangeVerdict, DecisionRecord, DecisionState, Decisions } from './decisions.ts';
export type { HoldFacts, HoldRecord, Holds, OpenHolds } from './holds.ts';
export type { Lease, Leases } from './leases.ts';
export type { ReadRecord, Reads } from './reads.ts';
export type { RunFacts } from './run-facts.ts';
export type { Audit, AuditAction, AuditEntry, AuditQuery, KeyedTrigger, Pause, Pauses } from './store-operations.ts';
export type { TokenRecord, TokenState, TokenStore } from './token-store.ts';

/**
 * Where truth lives. Each method is one transaction, but for `plans.hold`, `holdFields` and `applyApprovals`: they go piece
 * by piece, on a plan that is nobody's until it is sealed. Every write of a run goes through an `Owned` run: it carries the
 * fencing number of the lease and throws `LEASE_LOST` when somebody else has taken the run over. Instants are epoch ms
 * from the injected clock; ids are made by the caller.
 */
export interface Store {
  readonly leases: Leases;
  readonly triggers: Triggers;
  readonly runs: Runs;
  readonly plans: Plans;
  readonly batches: Batches;
  readonly ledger: Ledger;
  readonly decisions: Decisions;
  readonly holds: Holds;
  readonly reads: Reads;
  readonly rosters: Rosters;
  readonly tokens: TokenStore;
  readonly alerts: AlertBook;
  readonly pauses: Pauses;
  readonly audit: Audit;
  /** Ends the connection. Must be called once. */
  close(): Promise<void>;
}

/* ---- triggers: rows that decide that exactly one run starts ---- */

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

/* ---- runs ---- */

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

/* ---- plans: changes, of a run or only shown ---- */

export interface PlannedChange extends Change {
  readonly state: ChangeState;
  /** A sentence, for held and failed changes. */
  readonly stateReason: string | undefined;
  readonly batch: string | undefined;
  readonly isApproved: boolean;
  /** Dropped because a person had rejected it when the plan was made. */
  readonly isRejected: boolean;
}

export interface PlanHeader {
  readonly id: string;
  readonly sync: string;
  /** Absent for a plan that was only shown. */
  readonly run: string | undefined;
  readonly madeAt: number;
}

/**
 * Plans are written in pieces while they are made, then sealed. A piece of an unsealed plan is nobody's plan. `owned` is
 * the run that the plan is made for, undefined only for a plan that is only shown; a plan of another run is refused
 * with `CONFLICT`.
 */
export interface Plans {
  /** Starts a plan, dropping whatever an earlier try of the same id had written, batches of the run too. */
  begin(owned: OwnedRun | undefined, header: PlanHeader): Promise<void>;
  add(owned: OwnedRun | undefined, planId: string, changes: readonly Change[]): Promise<void>;
  count(planId: string): Promise<PlanCount>;
  /** Hashes of the open changes, neither approved nor rejected, in order of identification: for the digest. */
  hashes(planId: string): AsyncIterable<string>;
  seal(owned: OwnedRun | undefined, planId: string, digest: string): Promise<void>;
  /** In order of identification, at most `limit` after `after` (an identification). */
  page(planId: string, query: ChangeQuery): Promise<readonly PlannedChange[]>;
  get(planId: string, identification: string): Promise<PlannedChange | undefined>;
  /** Sets the state of every planned change in one of the classes (approved ones excepted). Returns how many. */
  hold(owned: OwnedRun | undefined, planId: string, classes: readonly ChangeClass[], reason: string): Promise<number>;
  /** Holds the planned changes that a person left out while deciding others (`Decisions.leaveOut`). Returns how many. */
  holdLeftOut(owned: OwnedRun | undefined, planId: string, sync: string): Promise<number>;
  /** Holds the planned updates that change one of the fields. */
  holdFields(
    owned: OwnedRun | undefined,
    planId: string,
    fields: readonly FieldName[],
    reason: string,
  ): Promise<number>;
  /**
   * Applies what people decided about changes of the sync: approved changes are marked so, rejected ones are dropped with
   * the reason `rejected by …`. An approval is for one run: the first whose plan has a change of that hash uses it up,
   * however it ends; a plan that is only shown does not.
   */
  applyApprovals(
    owned: OwnedRun | undefined,
    planId: string,
    sync: string,
    now: number,
  ): Promise<{ readonly approved: number; readonly rejected: number }>;
  setStates(owned: OwnedRun, marks: readonly ChangeMark[]): Promise<void>;
  countStates(planId: string): Promise<Readonly<Record<ChangeState, number>>>;
  /** Newest sealed plan of the sync with this digest (a unique beginning of at least 8 characters is enough). */
  findByDigest(sync: string, digest: string): Promise<(PlanHeader & { readonly digest: string }) | undefined>;
  /**
   * Counts the changes per class that went out on the connection since `since` without an approval: applied, wholly or in
   * part, or of an unknown outcome. Those of the sync and of syncs that are configured no more count, which is what a
   * renamed sync was; those of `others` count for the people whom the sync owns now.
   */
  appliedSince(who: Applier, since: number): Promise<Readonly<Record<ChangeClass, number>>>;
  /** What happened to one person in former runs, newest first. */
  history(
    sync: string,
    identification: string,
    limit: number,
  ): Promise<readonly (PlannedChange & { readonly run: string; readonly at: number })[]>;
}

/** Whose changes `appliedSince` counts. */
export interface Applier {
  readonly sync: string;
  readonly connection: string;
  /** The other configured syncs of the connection. */
  readonly others: readonly string[];
}

export interface PlanCount {
  readonly kinds: Readonly<Record<ChangeKind, number>>;
  /** Every change, whatever its state. */
  readonly classes: Readonly<Record<ChangeClass, number>>;
  /** Those in state `planned` that no person has approved. */
  readonly open: Readonly<Record<ChangeClass, number>>;
}

export interface ChangeQuery {
  readonly limit: number;
  readonly after?: string;
  readonly states?: readonly ChangeState[];
  readonly classes?: readonly ChangeClass[];
  readonly batch?: string;
}

export interface ChangeMark {
  readonly identification: string;
  readonly state: ChangeState;
  readonly reason?: string;
  /** When it was seen applied: what the 24-hour window counts by. */
  readonly appliedAt?: number;
}

/* ---- batches ---- */

export interface Batch {
  readonly id: string;
  readonly run: string;
  readonly sync: string;
  readonly connection: string;
  readonly number: number;
  readonly kind: 'csv' | 'direct' | 'outbox';
  readonly size: number;
  readonly state: BatchState | UnknownState;
  readonly sentAt: number | undefined;
  readonly fileId: string | undefined;
  readonly fileName: string | undefined;
  /** Last status text that the platform showed. */
  readonly status: string | undefined;
  readonly polls: number;
  /** The final word about the file, once there is one; `no-status`: none will come. */
  readonly final: 'done' | 'failed' | 'no-status' | undefined;
  readonly finalAt: number | undefined;
  readonly reason: string | undefined;
  /** The batch this one was split from. */
  readonly parent: string | undefined;
}

export interface Batches {
  /** Writes batches of the run and gives each its changes (by identification), which become `planned`. */
  create(
    owned: OwnedRun,
    batches: readonly { readonly batch: Batch; readonly identifications: readonly string[] }[],
  ): Promise<void>;
  get(id: string): Promise<Batch | undefined>;
  /** In order of number. */
  ofRun(runId: string): Promise<readonly Batch[]>;
  /** Batches of the connection whose effect is not known, of any run that has ended. */
  unresolved(connection: string): Promise<readonly Batch[]>;
  /** Changes the batch, its changes and the ledger in one transaction: what was seen applied is never half known. */
  update(owned: OwnedRun, id: string, patch: BatchPatch, also?: BatchEffects): Promise<void>;
  /** Ends an `unresolved` batch of an ended run, found applied or waited out; bound to the lease of a later run. */
  resolve(owned: OwnedRun, id: string, reason: string, also: BatchEffects): Promise<void>;
}

export interface BatchEffects {
  readonly marks?: readonly ChangeMark[];
  readonly ledger?: readonly LedgerEntry[];
}

export type BatchPatch = Partial<
  Pick<Batch, 'sentAt' | 'fileId' | 'fileName' | 'status' | 'polls' | 'final' | 'finalAt' | 'reason'> & {
    readonly state: BatchState;
  }
>;

/* ---- ledger ---- */

export interface Ledger {
  /** Every entry of the connection, in order of identification, a bounded number at a time. */
  all(connection: string): AsyncIterable<readonly LedgerEntry[]>;
  get(connection: string, identification: string): Promise<LedgerEntry | undefined>;
  getMany(connection: string, identifications: readonly string[]): Promise<ReadonlyMap<string, LedgerEntry>>;
  /** Users that the sync owns and that we have not removed. */
  countOwned(connection: string, sync: string): Promise<OwnedUsers>;
  put(owned: OwnedRun, entries: readonly LedgerEntry[]): Promise<void>;
}

export interface OwnedUsers {
  readonly managed: number;
  /** Those of them that we have not disabled. */
  readonly enabled: number;
}

/* ---- rosters ---- */

export interface Rosters {
  /** The roster of the sync's last accepted complete full read. Pages are loaded when they are asked for. */
  open(sync: string): Promise<Roster | undefined>;
  /** Replaces the sync's roster in one transaction; pages that are equal are not written again. */
  put(owned: OwnedRun, header: RosterHeader, pages: readonly RosterPage[]): Promise<void>;
}
