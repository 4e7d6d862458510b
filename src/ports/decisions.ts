import type { ChangeClass, ChangeName, ChangePart } from '../core/plan/change.ts';
import type { DecidedFields, DecisionRecord, GivenApproval, GivenApprovals } from '../core/plan/decision.ts';
import type { NewDecision, StandingDecision, StandingRename } from '../core/plan/standing.ts';
import type { HoldFacts, OwnedRun } from './runs.ts';
import type { AuditEntry } from './store-operations.ts';

export type { DecisionRecord, DecisionState } from '../core/plan/decision.ts';

/** A change that is decided, with what the decision is about. */
export interface DecidedChange extends ChangeName {
  readonly fields: DecidedFields;
}

export type ChangeVerdict = { readonly by: string; readonly why: string | undefined; readonly at: number } & (
  | {
      readonly state: 'approved';
      readonly expiresAt: number;
      /** Whether rejected changes are approved as well. */
      readonly reopens?: boolean;
    }
  | { readonly state: 'rejected' }
);

/** One approval of changes that need `of` different ones. */
export interface ApprovalOrder extends GivenApproval, Omit<GivenApprovals, 'given'> {
  /** Until when the changes wait for the others, where they are not held yet. */
  readonly expiresAt: number;
}

/** Approvals that some waiting changes of a sync have in common. */
export interface GivenInSync {
  readonly sync: string;
  readonly approvals: GivenApprovals;
  readonly changes: number;
}

export interface DecidedPeople {
  /** Which of their changes were decided. Absent: those of their accounts. */
  readonly part?: ChangePart;
  readonly identifications: readonly string[];
  /** The source still asks for a change of theirs that something else prevents: what was rejected stays rejected. */
  readonly keepsRejections: boolean;
}

/** Decisions about changes, by sync and person. */
export interface Decisions {
  /** Returns the records of one person, newest first. */
  of(sync: string, identification: string): Promise<readonly DecisionRecord[]>;
  /** Returns the records of several people. A person without a record is absent. */
  ofMany(sync: string, identifications: readonly string[]): Promise<ReadonlyMap<string, readonly DecisionRecord[]>>;
  /**
   * Approves or rejects changes and returns how many. Skips changes whose episode has ended. An approval also skips
   * changes that would bring back what was rejected, unless it reopens them: then the rejections are lifted. Updates
   * the state of holds that are fully decided.
   */
  decide(sync: string, changes: readonly DecidedChange[], verdict: ChangeVerdict): Promise<number>;
  /**
   * Adds an approval to changes that need more than one, and returns the hashes of those that have enough now. Skips what
   * `decide` would skip.
   */
  give(sync: string, changes: readonly DecidedChange[], approval: ApprovalOrder): Promise<ReadonlySet<string>>;
  /** Returns the approvals that the waiting changes of these syncs have, with the number of changes. */
  given(syncs: readonly string[], now: number): Promise<readonly GivenInSync[]>;
  /**
   * Marks open changes that were left out when others of the same hold were decided. Later plans hold them until they
   * are decided, regardless of their number.
   */
  leaveOut(
    sync: string,
    changes: readonly DecidedChange[],
    verdict: { readonly by: string; readonly at: number },
  ): Promise<void>;
  /**
   * Opens a decision for every held change of the run's plan, until `expiresAt`. Withdraws open decisions for changes
   * that the plan delivers or proposes with other values. Returns whether `pending` has an identification then.
   */
  record(
    owned: OwnedRun,
    planId: string,
    times: { readonly now: number; readonly expiresAt: number },
  ): Promise<boolean>;
  /**
   * Returns identifications of the sync whose episodes a run may end, in order, at most `limit` after `after`. These
   * are people with a decision, and people in a plan that was shown less than 24 hours ago.
   */
  pending(
    sync: string,
    query: { readonly now: number; readonly limit: number; readonly after?: string },
  ): Promise<readonly string[]>;
  /**
   * Ends the episodes of these people that the run's plan no longer proposes, and rejections of field values that it no
   * longer requests. Consumes approvals of changes that it proposes with other values. Call it only for people whom an accepted read of the run decided.
   */
  end(owned: OwnedRun, planId: string, people: DecidedPeople, now: number): Promise<void>;
}

/** Decisions of people that count until their end. The audit tells them too, and decides nothing. */
export interface StandingDecisions {
  /**
   * Stores a decision and its audit entry in one transaction, and ends those about the same people. A rename ends them when
   * it is carried out: see `Ledger.rename`.
   */
  add(decision: NewDecision, entry: AuditEntry): Promise<void>;
  /** Returns those of the connection that stand at the instant, newest first. */
  list(connection: string, now: number): Promise<readonly StandingDecision[]>;
  /** Returns the renames, also those that were carried out, newest first. */
  renames(connection: string): Promise<readonly StandingRename[]>;
}

/** The changes of a sync that need approval. */
export interface OpenHolds {
  readonly holds: readonly HoldFacts[];
  /**
   * Number of distinct pending changes. Several classes can hold one change, and some changes of a hold may be decided.
   */
  readonly changes: number;
  readonly byClass: Readonly<Partial<Record<ChangeClass, number>>>;
  /** When the oldest of these changes was first held. It stays when others join them. Absent: none waits. */
  readonly since?: number;
  /** Holds that no operator decided in time, and the number of their changes. The next run asks about them again. */
  readonly expired: { readonly holds: readonly HoldFacts[]; readonly changes: number };
}

export const noHolds: OpenHolds = { holds: [], changes: 0, byClass: {}, expired: { holds: [], changes: 0 } };

export interface Holds {
  /**
   * Returns the pending changes of these syncs at this instant, by sync; one without a hold is absent. Suitable for frequent
   * calls, because large counts are cached.
   */
  open(syncs: readonly string[], now: number): Promise<ReadonlyMap<string, OpenHolds>>;
  /** Returns holds in state `open`, including expired ones, oldest first. */
  listOpen(sync: string): Promise<readonly HoldFacts[]>;
  ofRun(runId: string): Promise<readonly HoldFacts[]>;
  /** Yields the hashes of the changes of a hold in order of identification, a page of some thousand at a time. */
  hashes(id: string): AsyncIterable<readonly string[]>;
}
