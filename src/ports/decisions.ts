import type { ChangeClass, ChangeName } from '../core/plan/change.ts';
import type { HoldFacts, OwnedRun } from './runs.ts';

export type DecisionState = 'open' | 'approved' | 'rejected';

/**
 * The decision state of one held, approved or rejected change. It applies until its episode ends. A change that was
 * only shown and later no longer proposed also has a record: an open one that has ended. So its digest approves no
 * later change.
 */
export interface DecisionRecord extends ChangeName {
  readonly state: DecisionState;
  /** The operator who approved or rejected the change, or left it out while deciding others; else undefined. */
  readonly by: string | undefined;
  readonly why: string | undefined;
  /** When the change was first held, or decided. */
  readonly at: number;
  /** Until when an open change can be approved, or an approval is valid. Undefined for a rejection. */
  readonly expiresAt: number | undefined;
  /** The run that used the approval. */
  readonly run: string | undefined;
  /** When an accepted read ended the episode; undefined while the rule applies. */
  readonly endedAt: number | undefined;
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

/** Decisions about changes, by sync and person. */
export interface Decisions {
  /** Returns the records of one person, newest first. */
  of(sync: string, identification: string): Promise<readonly DecisionRecord[]>;
  /** Returns the records of several people. A person without a record is absent. */
  ofMany(sync: string, identifications: readonly string[]): Promise<ReadonlyMap<string, readonly DecisionRecord[]>>;
  /**
   * Approves or rejects changes and returns how many. Skips changes whose episode has ended. An approval also skips
   * rejected changes, unless it reopens them. Updates the state of holds that are fully decided.
   */
  decide(sync: string, changes: readonly ChangeName[], verdict: ChangeVerdict): Promise<number>;
  /**
   * Marks open changes that were left out when others of the same hold were decided. Later plans hold them until they
   * are decided, regardless of their number.
   */
  leaveOut(sync: string, changes: readonly ChangeName[], by: string): Promise<void>;
  /**
   * Opens a decision for every held change of the run's plan, until `expiresAt`. Withdraws open decisions for changes
   * that the plan delivers or proposes with other values.
   */
  record(owned: OwnedRun, planId: string, times: { readonly now: number; readonly expiresAt: number }): Promise<void>;
  /**
   * Returns identifications of the sync whose episodes a run may end, in order, at most `limit` after `after`. These
   * are people with a decision, and people in a plan that was shown less than 24 hours ago.
   */
  pending(
    sync: string,
    query: { readonly now: number; readonly limit: number; readonly after?: string },
  ): Promise<readonly string[]>;
  /**
   * Ends the episodes of these people that the run's plan no longer proposes. Consumes approvals of changes that it
   * proposes with other values. Call it only for people whom an accepted read of the run decided.
   */
  end(owned: OwnedRun, planId: string, identifications: readonly string[], now: number): Promise<void>;
}

/** The changes of a sync that need approval. */
export interface OpenHolds {
  readonly holds: readonly HoldFacts[];
  /**
   * Number of distinct pending changes. Several classes can hold one change, and some changes of a hold may be decided.
   */
  readonly changes: number;
  readonly byClass: Readonly<Partial<Record<ChangeClass, number>>>;
}

export interface Holds {
  /** Returns the pending changes at this instant. Suitable for frequent calls, because large counts are cached. */
  open(sync: string, now: number): Promise<OpenHolds>;
  /** Returns holds in state `open`, including expired ones, oldest first. */
  listOpen(sync: string): Promise<readonly HoldFacts[]>;
  ofRun(runId: string): Promise<readonly HoldFacts[]>;
  /** Yields the hashes of the changes of a hold in order of identification, a page of some thousand at a time. */
  hashes(id: string): AsyncIterable<readonly string[]>;
}
