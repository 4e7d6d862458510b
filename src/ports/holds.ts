import type { ChangeClass } from '../core/change.ts';
import type { OwnedRun } from './runs.ts';

export interface HoldRecord {
  readonly id: string;
  readonly sync: string;
  readonly run: string;
  readonly class: ChangeClass;
  readonly reason: string;
  readonly digest: string;
  readonly hashes: readonly string[];
  readonly heldAt: number;
  readonly expiresAt: number;
  /** `decided`: some changes were approved and the others rejected. */
  readonly state: 'open' | 'approved' | 'rejected' | 'decided' | 'expired';
}

/** A hold without its hashes, because there can be hundreds of thousands of them. */
export type HoldFacts = Omit<HoldRecord, 'hashes'>;

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
   * none of its changes is pending, or this run's holds contain all its pending changes. Call it after
   * `decisions.record`.
   */
  renew(owned: OwnedRun, holds: readonly HoldRecord[], now: number): Promise<void>;
  /** Returns the pending changes at this instant. Suitable for frequent calls, because large counts are cached. */
  open(sync: string, now: number): Promise<OpenHolds>;
  /** Returns holds in state `open`, including expired ones, oldest first. */
  listOpen(sync: string): Promise<readonly HoldFacts[]>;
  ofRun(runId: string): Promise<readonly HoldRecord[]>;
}
