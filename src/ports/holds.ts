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

/** A hold without its hashes, of which there may be hundreds of thousands. */
export type HoldFacts = Omit<HoldRecord, 'hashes'>;

/** What waits for a person in a sync. */
export interface OpenHolds {
  readonly holds: readonly HoldFacts[];
  /** So many different changes wait: one may be held by several classes, and some of a hold may be decided. */
  readonly changes: number;
  readonly byClass: Readonly<Partial<Record<ChangeClass, number>>>;
}

export interface Holds {
  /**
   * Opens the holds of a run; one of the same changes is renewed. Another open hold of the sync closes when none of its
   * changes waits any more, or when all that wait are in this run's holds. Call it after `decisions.record`.
   */
  renew(owned: OwnedRun, holds: readonly HoldRecord[], now: number): Promise<void>;
  /** What waits at this instant. It may be asked for again and again: what is large is counted once. */
  open(sync: string, now: number): Promise<OpenHolds>;
  /** Holds in state `open`, also expired ones, oldest first. */
  listOpen(sync: string): Promise<readonly HoldFacts[]>;
  ofRun(runId: string): Promise<readonly HoldRecord[]>;
}
