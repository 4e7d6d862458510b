import type { Change, ChangeClass, ChangeKind } from '../core/change.ts';
import type { FieldName } from '../core/fields.ts';
import type { LedgerEntry } from '../core/ledger.ts';
import type { Roster, RosterHeader, RosterPage } from '../core/roster.ts';
import type { BatchState, ChangeState } from '../core/run.ts';
import type { AlertBook } from './alerts.ts';
import type { Decisions } from './decisions.ts';
import type { Holds } from './holds.ts';
import type { Leases } from './leases.ts';
import type { Reads } from './reads.ts';
import type { OwnedRun, Runs, Triggers } from './runs.ts';
import type { Audit, Pauses } from './store-operations.ts';
import type { TokenStore } from './token-store.ts';
import type { UnknownState } from './unknown-state.ts';

export type { Watermark } from '../core/next-read.ts';
export type { ChangeVerdict, DecisionRecord, DecisionState, Decisions } from './decisions.ts';
export type { HoldFacts, HoldRecord, Holds, OpenHolds } from './holds.ts';
export type { Lease, Leases } from './leases.ts';
export type { ReadRecord, Reads } from './reads.ts';
export type { RunFacts } from './run-facts.ts';
export type {
  KeyedTrigger,
  OwnedRun,
  Run,
  RunPatch,
  RunScope,
  Runs,
  Trigger,
  TriggerKind,
  TriggerState,
  Triggers,
} from './runs.ts';
export type { Audit, AuditAction, AuditEntry, AuditQuery, Pause, Pauses } from './store-operations.ts';
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
