import type { DriveIo } from '../in-process/drive-run.ts';

/** What the jobs of a worker share. */
export interface WorkIo extends Pick<DriveIo, 'engine' | 'keepToken' | 'runJob'> {
  /** Returns a new lease owner for each lease: two jobs of one process must not share one. */
  readonly newOwner: () => string;
  /** Longer than any block of a worker, and short enough that the run of a dead worker continues within seconds. */
  readonly runLeaseMs: number;
  /** Aborts when the process is asked to stop: no step starts, a write in progress may end. */
  readonly stop: AbortSignal;
  /** Aborts a grace period after `stop`. No work may continue then. */
  readonly graceOver: AbortSignal;
  /** 0 ≤ x < 1, for jitter. */
  readonly random: () => number;
}
