import type { ChangeClass } from '../core/plan/change.ts';
import type { OwnedRun } from './runs.ts';

export interface HoldFacts {
  readonly id: string;
  readonly sync: string;
  readonly run: string;
  readonly class: ChangeClass;
  readonly reason: string;
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
  /**
   * Opens the holds of a run. A hold of the same changes is renewed. Another open hold of the sync closes in two cases:
   * none of its changes is pending, or this run's holds contain all its pending changes. A hold without changes is not
   * opened. Call it after `plans.seal` and `decisions.record`.
   */
  renew(owned: OwnedRun, holds: readonly NewHold[], now: number): Promise<void>;
  /** Returns the pending changes at this instant. Suitable for frequent calls, because large counts are cached. */
  open(sync: string, now: number): Promise<OpenHolds>;
  /** Returns holds in state `open`, including expired ones, oldest first. */
  listOpen(sync: string): Promise<readonly HoldFacts[]>;
  ofRun(runId: string): Promise<readonly HoldFacts[]>;
  /** Yields the hashes of the changes of a hold in order of identification, a page of some thousand at a time. */
  hashes(id: string): AsyncIterable<readonly string[]>;
}
