import type { Leaver, PlannedDisable } from '../core/plan/leavers.ts';

/** Returns the leavers that are new or have changed, from those of the sync whose clock counts. */
export type LeaverUpdate = (counting: readonly Leaver[]) => readonly Leaver[];

/** Leavers of a sync whose clocks began at the same instant. */
export interface CountingLeavers {
  readonly sync: string;
  /** May be in the future. */
  readonly clockAt: number;
  readonly people: number;
}

/** An account that was seen disabled. */
export interface DisabledLeaver extends Pick<Leaver, 'id' | 'sync'> {
  readonly seenAt: number;
  /** From the start of the clock; 0 for an account that was disabled before. */
  readonly tookMs: number;
}

/**
 * The stated leavers with an enabled account: a row for each statement, which stays after its end until the audit of that
 * time is deleted. A run writes them when it stores its plan (`RunEffects.leavers`). A read-back that shows a disable ends
 * them in its own transaction.
 */
export interface LeaverStore {
  /**
   * Returns the leavers of the sync that count, and those that ended at `endedSince` or later. In order of the start of
   * their clocks.
   */
  list(sync: string, endedSince: number): Promise<readonly Leaver[]>;
  /** Returns the leavers of all syncs that count, without those whose account a person decided to keep. */
  counting(now: number): Promise<readonly CountingLeavers[]>;
  /** Returns by person the disable in the newest plan of a run that has one, of the leavers of the sync that count. */
  planned(sync: string): Promise<ReadonlyMap<string, PlannedDisable>>;
  /** Returns the accounts of all syncs that were seen disabled at `since` or later. */
  disabledSince(since: number): Promise<readonly DisabledLeaver[]>;
}
