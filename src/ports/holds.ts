import type { ChangeClass } from '../core/change.ts';
import type { OwnedRun } from './store.ts';

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
  readonly state: 'open' | 'approved' | 'rejected' | 'expired';
}

/** A hold without its hashes, of which there may be hundreds of thousands. */
export type HoldFacts = Omit<HoldRecord, 'hashes'>;

/** What waits for a person in a sync. */
export interface OpenHolds {
  readonly holds: readonly HoldFacts[];
  /** So many different changes: one may be held by several classes. */
  readonly changes: number;
  readonly byClass: Readonly<Partial<Record<ChangeClass, number>>>;
}

export interface Holds {
  /**
   * Opens the holds of a run; one of the same changes is renewed. The sync's other open holds stand no more, unless the run
   * is about named people: it says nothing of what is held for others.
   */
  renew(owned: OwnedRun, holds: readonly HoldRecord[]): Promise<void>;
  /** What stands at this instant. It may be asked for again and again: what is large is counted once. */
  open(sync: string, now: number): Promise<OpenHolds>;
  ofRun(runId: string): Promise<readonly HoldRecord[]>;
  /** Approves change hashes for one run of the sync before `expiresAt`; open holds that are wholly approved say so. */
  approve(
    sync: string,
    hashes: readonly string[],
    approval: { readonly by: string; readonly now: number; readonly expiresAt: number },
  ): Promise<number>;
  reject(sync: string, hashes: readonly string[], by: string, now: number): Promise<number>;
  /** Hashes a person rejected: they are dropped without asking until they change or the rejection ends (7 days). */
  rejected(sync: string, now: number): Promise<ReadonlySet<string>>;
}
