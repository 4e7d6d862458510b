import type { ChangeName } from '../core/episode.ts';
import type { OwnedRun } from './runs.ts';

export type DecisionState = 'open' | 'approved' | 'rejected';

/**
 * What became of one held, approved or rejected change. It counts until its episode ends. A change that was only shown and
 * then gone has a record as well: an open one that has ended, so that its digest approves nothing later.
 */
export interface DecisionRecord extends ChangeName {
  readonly state: DecisionState;
  /** Who approved or rejected it, or left it out while deciding others; else undefined. */
  readonly by: string | undefined;
  readonly why: string | undefined;
  /** When it was held first, or decided. */
  readonly at: number;
  /** Until when an open change may be approved, or an approval counts. Undefined for a rejection. */
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
      /** Whether changes that a person rejected are approved as well. */
      readonly reopens?: boolean;
    }
  | { readonly state: 'rejected' }
);

/** What people decided about changes, by sync and person. */
export interface Decisions {
  /** What is known of one person, newest first. */
  of(sync: string, identification: string): Promise<readonly DecisionRecord[]>;
  /** The same for several people; people without a record are absent. */
  ofMany(sync: string, identifications: readonly string[]): Promise<ReadonlyMap<string, readonly DecisionRecord[]>>;
  /**
   * Approves or rejects changes and returns how many. Leaves out those whose episode has ended, and for an approval those
   * that were rejected, unless it reopens them. Holds that are decided say so.
   */
  decide(sync: string, changes: readonly ChangeName[], verdict: ChangeVerdict): Promise<number>;
  /**
   * Marks open changes that a person left out while deciding others of the same hold: later plans hold them until they are
   * decided, however few they are.
   */
  leaveOut(sync: string, changes: readonly ChangeName[], by: string): Promise<void>;
  /**
   * Opens a decision for every held change of the run's plan, until `expiresAt`, and withdraws the open ones that the plan
   * delivers or that have other values by now.
   */
  record(owned: OwnedRun, planId: string, times: { readonly now: number; readonly expiresAt: number }): Promise<void>;
  /**
   * Identifications of the sync whose episodes a run may end, in order, at most `limit` after `after`: people with a
   * decision, and people in a plan that was shown less than 24 hours ago.
   */
  pending(
    sync: string,
    query: { readonly now: number; readonly limit: number; readonly after?: string },
  ): Promise<readonly string[]>;
  /**
   * Ends the episodes of these people that the run's plan does not propose any more, and uses up approvals of changes that
   * it proposes with other values. Only for people whom an accepted read of the run decided.
   */
  end(owned: OwnedRun, planId: string, identifications: readonly string[], now: number): Promise<void>;
}
