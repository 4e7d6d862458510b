/**
 * Name of the lease that `start` holds. Other processes read it to know that a deployment will take a requested run.
 */
export const deploymentLease = 'deployment';

/** Name of the lease that all workers with Redis renew together: other processes see by it whether any lives. */
export const workersLease = 'workers';

/** Name of the lease under which one process advances the run. */
export function runLease(run: string): string {
  return `run:${run}`;
}

export interface Lease {
  readonly name: string;
  readonly owner: string;
  readonly fence: number;
}

export interface Leases {
  /**
   * Takes the lease if it is free or expired. The fence increases with every take. Returns undefined when another owner
   * holds the lease.
   */
  take(name: string, owner: string, ttlMs: number, now: number): Promise<Lease | undefined>;
  /** Extends the lease. Returns false when it was lost. */
  renew(lease: Lease, ttlMs: number, now: number): Promise<boolean>;
  /** Releases the lease, only if it is still ours. */
  release(lease: Lease): Promise<void>;
  holder(name: string, now: number): Promise<{ owner: string; until: number } | undefined>;
}
