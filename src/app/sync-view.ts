import type { Pause, Run } from '../ports/store.ts';

export interface SyncView {
  readonly name: string;
  readonly connection: string;
  readonly schedule: string | undefined;
  readonly policy: string;
}

export interface SyncState extends SyncView {
  readonly pause: Pause | undefined;
  /** The newest run, in progress or ended. */
  readonly lastRun: Run | undefined;
  /**
   * Start of the newest run that ended as succeeded, nothing-to-do, held or exported. It shows how current the platform
   * is.
   */
  readonly freshAt: number | undefined;
  /** Epoch ms of the next slot; undefined without a schedule and while paused. */
  readonly nextSlotAt: number | undefined;
  /** Number of requests that no run has taken. */
  readonly waiting: number;
}
