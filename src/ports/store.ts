import type { FieldName } from '../core/person/fields.ts';
import type { Change, ChangeClass, ChangeKind, ChangePart } from '../core/plan/change.ts';
import type { Settled } from '../core/plan/decision.ts';
import type { LedgerEntry } from '../core/plan/ledger.ts';
import type { RefusedCreate } from '../core/plan/refused-create.ts';
import type { Roster, RosterHeader, RosterPage } from '../core/plan/roster.ts';
import type { UndoneRecord } from '../core/plan/undo.ts';
import type { Finding } from '../core/run/finding.ts';
import type { BatchState, ChangeState } from '../core/run/run.ts';
import type { UnsentBatch } from '../core/run/waves.ts';
import type { AlertBook } from './alerts.ts';
import type { Decisions, Holds, StandingDecisions } from './decisions.ts';
import type { Leases, Turns } from './leases.ts';
import type { LeaverStore } from './leavers.ts';
import type { Ledger } from './ledger.ts';
import type { PersonRecords, Sealing } from './person-records.ts';
import type { Previews } from './previews.ts';
import type { Baselines, Directories, DirectoryEnd, Past, RawTexts, ReadRecord, Reads } from './reads.ts';
import type { PlannedChange, Reports } from './reports.ts';
import type { Batch, DeliveryPatch, NewBatch, OwnedRun, RunPatch, Runs, Triggers } from './runs.ts';
import type {
  Audit,
  Learned,
  MailedReports,
  Pauses,
  Restores,
  Sessions,
  Signing,
  SyncNames,
} from './store-operations.ts';
import type { TokenBook } from './tokens.ts';

export type { Watermark } from '../core/run/next-read.ts';
export type {
  ChangeVerdict,
  DecidedChange,
  DecidedPeople,
  DecisionRecord,
  DecisionState,
  Decisions,
  Holds,
  OpenHolds,
} from './decisions.ts';
export type { Lease, Leases } from './leases.ts';
export type { Adoption, Ledger, OwnedUser, OwnedUsers, Renaming } from './ledger.ts';
export type { ForgetResult, PersonRecord, PersonRecords, Sealing, UnreadableValues } from './person-records.ts';
export type { RawText, RawTexts, ReadRecord, Reads } from './reads.ts';
export type { PlannedChange } from './reports.ts';
export type {
  Batch,
  HoldFacts,
  KeyedTrigger,
  NewBatch,
  NewHold,
  OwnedRun,
  Run,
  RunFilter,
  RunPatch,
  RunScope,
  Runs,
  Trigger,
  TriggerKind,
  TriggerState,
  Triggers,
} from './runs.ts';
export type {
  Audit,
  AuditAction,
  AuditEntry,
  AuditQuery,
  Learned,
  LearnedFacts,
  Pause,
  Pauses,
  RestoreRecord,
  Restores,
  SyncNames,
} from './store-operations.ts';
export type { RestoredTokens, TokenRecord, TokenState, TokenStore } from './tokens.ts';

/** What `Store.fault` returns for a store that is older than what a process has seen of it. It still takes a notice. */
export const olderCopy = 'it is an older copy';

/**
 * The durable state. Each method is one transaction, except `plans.holdFields`. It works in pieces, on a plan that has
 * no effect until it is sealed. Every write of a run goes through an `OwnedRun` with the
 * fencing number of the lease. It throws `LEASE_LOST` when another process has taken over the run. Instants are epoch
 * ms from the injected clock. The caller creates ids.
 */
export interface Store {
  readonly leases: Leases;
  readonly turns: Turns;
  readonly triggers: Triggers;
  readonly runs: Runs;
  readonly plans: Plans;
  readonly batches: Batches;
  readonly ledger: Ledger;
  readonly decisions: Decisions;
  readonly leavers: LeaverStore;
  readonly standing: StandingDecisions;
  readonly holds: Holds;
  readonly baselines: Baselines;
  readonly reads: Reads;
  readonly rosters: Rosters;
  readonly rawTexts: RawTexts;
  readonly people: PersonRecords;
  readonly sealing: Sealing;
  readonly tokens: TokenBook;
  readonly alerts: AlertBook;
  readonly pauses: Pauses;
  readonly learned: Learned;
  readonly syncNames: SyncNames;
  readonly audit: Audit;
  readonly signing: Signing;
  readonly restores: Restores;
  readonly reports: Reports;
  readonly sessions: Sessions;
  readonly previews: Previews;
  readonly mailedReports: MailedReports;
  readonly directories: Directories;
  /** Writes a row. Returns in a few words, without a place, why the store takes no write; undefined when it does. */
  fault(now: number): Promise<string | undefined>;
  /** Rejects with `STORE_INVALID` when the content was moved to another store. Leases and tokens prove more than this. */
  requireHere(): Promise<void>;
  /** Closes the connection. Must be called once. */
  close(): Promise<void>;
}

/* ---- plans: changes, of a run or only shown ---- */

/** A change to store, after the standing decisions about its person. */
export type NewChange = Change & Omit<Settled, 'draft'>;

/** A change in an earlier run. `at`: when its plan was made. */
export type PastChange = PlannedChange & { readonly run: string; readonly at: number };

export interface PlanHeader {
  readonly id: string;
  readonly sync: string;
  /** Absent for a plan that was only shown. */
  readonly run: string | undefined;
  readonly madeAt: number;
  /** Fingerprint of the configuration with which it is made. */
  readonly configuration?: string;
}

export interface SomeChanges {
  readonly names: readonly string[];
  readonly class: ChangeClass;
}

/** How changes are taken out of what will be sent. */
export interface Aside {
  /** Which changes of the people. Absent: those of their accounts. */
  readonly part?: ChangePart;
  readonly state: 'held' | 'dropped';
  readonly reason: string;
}

/**
 * Plans are written in pieces and then sealed. An unsealed plan has no effect. `owned` is the run of the plan, and
 * undefined only for a shown plan. Throws `CONFLICT` for a plan of another run.
 */
export interface Plans {
  /**
   * Starts a plan; its run enters the phase `planning`. Deletes all data of an earlier attempt with the same id,
   * including batches of the run.
   */
  begin(owned: OwnedRun | undefined, header: PlanHeader, first?: readonly NewChange[]): Promise<void>;
  add(owned: OwnedRun | undefined, planId: string, changes: readonly NewChange[]): Promise<void>;
  /** Replaces held changes that no one approved by others of the same people. Returns how many. */
  replaceHeld(owned: OwnedRun | undefined, planId: string, changes: readonly NewChange[]): Promise<number>;
  count(planId: string): Promise<PlanCount>;
  /**
   * Yields the hashes of the open changes, neither approved nor rejected, in order of identification: for the digest.
   */
  hashes(planId: string): AsyncIterable<string>;
  seal(owned: OwnedRun | undefined, planId: string, digest: string): Promise<void>;
  /**
   * Returns changes in order of identification, `limit` after `after` (an identification) or fewer; one more where the
   * last person has two.
   */
  page(planId: string, query: ChangeQuery): Promise<readonly PlannedChange[]>;
  /** Returns the change of the person's account, or of the part. */
  get(planId: string, identification: string, part?: ChangePart): Promise<PlannedChange | undefined>;
  /** Returns the changes of these people's accounts, or of the part, in any order. */
  getMany(
    planId: string,
    identifications: readonly string[],
    part?: ChangePart | 'all',
  ): Promise<readonly PlannedChange[]>;
  /** Holds every planned change in one of the classes, except approved ones. */
  hold(owned: OwnedRun | undefined, planId: string, classes: readonly ChangeClass[], reason: string): Promise<void>;
  /** Holds the planned changes of these people in the class, except approved ones. Returns how many. */
  holdSome(owned: OwnedRun | undefined, planId: string, some: SomeChanges, reason: string): Promise<number>;
  /** Holds or drops changes of accounts, or of a part, that are planned or held, whatever was approved. */
  setAside(owned: OwnedRun | undefined, planId: string, names: readonly string[], aside: Aside): Promise<void>;
  /** Holds the planned updates that change one of the fields. */
  holdFields(
    owned: OwnedRun | undefined,
    planId: string,
    fields: readonly FieldName[],
    reason: string,
  ): Promise<number>;
  /**
   * Marks the approved changes, and returns how many. An approval is for one run: the first run whose plan has a change
   * of that hash consumes it, whatever its outcome. A shown plan does not.
   */
  applyApprovals(owned: OwnedRun | undefined, planId: string, sync: string, now: number): Promise<number>;
  setStates(owned: OwnedRun, marks: readonly ChangeMark[]): Promise<void>;
  /**
   * Returns the newest sealed plan of the sync with this digest. A unique prefix of at least 8 characters is enough.
   */
  findByDigest(sync: string, digest: string): Promise<(PlanHeader & { readonly digest: string }) | undefined>;
  /**
   * Counts, per class, changes of the connection that were sent since `since` without approval: applied, partly
   * applied, or of unknown outcome. Changes of the sync and of syncs that are no longer configured count, which covers
   * a renamed sync. Changes of `others` count for the people whom the sync owns now.
   */
  appliedSince(who: Applier, since: number): Promise<Readonly<Record<ChangeClass, number>>>;
  /** Returns the disables that `appliedSince` counts. */
  disabledSince(who: Applier, since: number): Promise<readonly PlannedChange[]>;
  /**
   * Returns the creates of these people that former runs tried one by one, or in a file that was done, and that failed. A
   * run that failed as a whole says nothing of its rows.
   */
  refusedCreates(
    sync: string,
    identifications: readonly string[],
  ): Promise<ReadonlyMap<string, readonly RefusedCreate[]>>;
  /** Returns the changes of one person in former runs, newest first. */
  history(sync: string, identification: string, limit: number): Promise<readonly PastChange[]>;
}

/** Selects the changes that `appliedSince` counts. */
export interface Applier {
  readonly sync: string;
  readonly connection: string;
  /** The other configured syncs of the connection. */
  readonly others: readonly string[];
}

export interface PlanCount {
  /** Creates that were applied. */
  readonly created: number;
  /** Rejected changes count here only. */
  readonly states: Readonly<Record<ChangeState, number>>;
  readonly kinds: Readonly<Record<ChangeKind, number>>;
  /** All changes, in any state. */
  readonly classes: Readonly<Record<ChangeClass, number>>;
  /** Changes in state `planned` without an approval. */
  readonly open: Readonly<Record<ChangeClass, number>>;
  /** The same, without those of the class `configuration`. */
  readonly beside: Readonly<Record<ChangeClass, number>>;
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
  /** Which change of the person. Absent: that of the account. */
  readonly part?: ChangePart;
  readonly state: ChangeState;
  readonly reason?: string;
  /** When the change was seen applied. The 24-hour window uses this instant. */
  readonly appliedAt?: number;
}

/* ---- batches ---- */

/** A batch that was not sent, with what decides when it is. */
export interface PlannedBatch extends Batch, Omit<UnsentBatch, 'final'> {
  /** Number of batches of the run. */
  readonly ofAll: number;
}

/** Which batches of a run. Every given part must match. */
export interface BatchQuery {
  readonly states?: readonly BatchState[];
  /** The first ones only. */
  readonly limit?: number;
}

/** Batches whose effect is not known, in order of their runs. */
export interface UnknownBatches {
  /** Their runs have ended. */
  readonly unresolved: readonly Batch[];
  /** Their runs are in progress: they have sent them and not proven them yet. */
  readonly unproven: readonly Batch[];
}

export interface Batches {
  /** Creates batches of the run and assigns changes to each (by identification). Those changes become `planned`. */
  create(owned: OwnedRun, batches: readonly NewBatch[]): Promise<void>;
  get(id: string): Promise<Batch | undefined>;
  getMany(ids: readonly string[]): Promise<readonly Batch[]>;
  /** Returns the batches of the run, or those that the query selects, in order of number. */
  ofRun(runId: string, query?: BatchQuery): Promise<readonly Batch[]>;
  /** Returns the batches of these runs, in order of run and number. */
  ofRuns(runs: readonly string[]): Promise<readonly Batch[]>;
  /**
   * Returns the batches that a step of the run looks at, in order of number: those of state `sending`, `sent` or
   * `unresolved`, the first planned one, and all planned parts. A run may have a thousand others.
   */
  wave(runId: string): Promise<{ readonly open: readonly Batch[]; readonly planned: readonly PlannedBatch[] }>;
  /** Returns the batches of these connections whose effect is not known. */
  unknown(connections: readonly string[]): Promise<UnknownBatches>;
  /**
   * Returns those of the users with a change that another run of the connection has sent, and whose effect is not
   * proven.
   */
  claimed(owned: OwnedRun, identifications: readonly string[]): Promise<ReadonlySet<string>>;
  /**
   * Updates the batch, its changes and the ledger in one transaction, so that an applied change is never recorded in
   * part. Returns the run as it is stored then.
   */
  update(owned: OwnedRun, id: string, patch: BatchPatch, also?: BatchEffects): Promise<OwnedRun>;
  /**
   * Ends an `unresolved` batch of an ended run, after it was found applied or its wait time is over. Requires the lease
   * of a later run.
   */
  resolve(
    owned: OwnedRun,
    id: string,
    reason: string,
    also: Omit<BatchEffects, 'delivery' | 'findings' | 'run'>,
  ): Promise<void>;
}

export interface BatchEffects {
  /** What the delivery learns with it, as `Runs.updateDelivery` does. */
  readonly delivery?: DeliveryPatch;
  /** Findings of the run that come with it. */
  readonly findings?: readonly Finding[];
  /** What the run enters with it, and its requests. */
  readonly run?: RunPatch;
  /** The queue that the run leaves with it: see `RunEffects`. */
  readonly leaves?: string;
  readonly marks?: readonly ChangeMark[];
  readonly ledger?: readonly LedgerEntry[];
  /** What later runs must not do again, because changes of an undo were applied. */
  readonly undone?: readonly UndoneRecord[];
}

export type BatchPatch = Partial<
  Pick<Batch, 'sentAt' | 'fileId' | 'fileName' | 'status' | 'polls' | 'final' | 'finalAt' | 'reason'> & {
    readonly state: BatchState;
  }
>;

export interface DoubtedRead extends Pick<RosterHeader, 'sync' | 'run' | 'salt' | 'pages'> {
  readonly read: ReadRecord;
}

export interface Rosters {
  /** Opens the roster of the sync's last accepted complete full read. Loads pages on demand. */
  open(sync: string): Promise<Roster | undefined>;
  /**
   * Replaces the sync's roster in one transaction. Unchanged pages are not written again. `also`: the read that it is
   * made from, and the end of the directory.
   */
  put(
    owned: OwnedRun,
    header: RosterHeader,
    pages: readonly RosterPage[],
    also?: { readonly read?: ReadRecord; readonly directory?: DirectoryEnd },
  ): Promise<void>;
  /** Stores a full read that a guard doubts, and what it said of people otherwise than the roster. The roster stays. */
  doubt(owned: OwnedRun, doubted: DoubtedRead, pages: readonly RosterPage[]): Promise<void>;
  past(sync: string, identification: string): Promise<Past>;
}

/**
 * What became of a batch: `done`, its file `failed` (its rows were read back, and what was missing went again in halves),
 * its upload was `refused`, its outcome is not known (`unresolved`), or it was never sent (`unsent`).
 */
export const batchResults = ['done', 'failed', 'refused', 'unresolved', 'unsent'] as const;
type BatchResult = (typeof batchResults)[number];

/** What happened to a batch whose rows were not all applied at once, as a sentence continues after "batch 3: ". */
export const batchTroubles = {
  failed: 'the platform ended its file as failed',
  refused: 'the platform refused it',
  unresolved: 'the outcome is unknown; nothing more is sent for its users until the outcome is known',
} as const satisfies Partial<Record<BatchResult, string>>;

type BatchTrouble = keyof typeof batchTroubles;

/** Returns what went wrong with a batch; undefined when nothing did, and while it is not known. */
export function troubleOf(batch: Batch): BatchTrouble | undefined {
  const result = batchResult(batch);
  return result !== undefined && result in batchTroubles ? (result as BatchTrouble) : undefined;
}

/** Returns the result of a batch; undefined while it is planned, being sent, or not proven yet. */
export function batchResult({ kind, state, final, finalAt, fileId, sentAt }: Batch): BatchResult | undefined {
  if (final === 'failed') return kind === 'csv' && fileId === undefined ? 'refused' : 'failed';
  if (state === 'unresolved') return 'unresolved';
  if (state !== 'settled') return undefined;
  if (sentAt === undefined) return kind === 'outbox' ? 'done' : 'unsent';
  const isRefused = kind === 'csv' && fileId === undefined && final === undefined && finalAt === undefined;
  return isRefused ? 'refused' : 'done';
}
