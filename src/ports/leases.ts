/**
 * Name of the lease that `start` holds. Other processes read it to know that a deployment will take a requested run.
 */
export const deploymentLease = 'deployment';

/** Name of the lease that all workers with Redis renew together: other processes see by it whether any lives. */
export const workersLease = 'workers';

/** Held by the process that judges what all processes see, and sends alerts. */
export const alertsLease = 'alerts';

/** Held by the process that exports the metrics of the store. */
export const metricsLease = 'metrics';

/** How long a run stays with a dead process (ms). The lease is renewed every third of it. */
export const runLeaseMs = 10_000;

/** Name of the lease under which one process advances the run. */
export function runLease(run: string): string {
  return `run:${run}`;
}

export interface Lease {
  readonly name: string;
  readonly owner: string;
  readonly fence: number;
  /** How often the lease was taken over from an owner that had not released it. Absent: never. */
  readonly deaths?: number;
}

export interface LeaseHolder {
  readonly owner: string;
  readonly until: number;
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
  holder(name: string, now: number): Promise<LeaseHolder | undefined>;
}

export interface TurnRequest {
  /** Name of the lease. */
  readonly name: string;
  readonly owner: string;
  /** How long the lease is held after a take (ms). */
  readonly ttlMs: number;
  /** Owners that have waited longer than this without asking again are passed over; they keep their place (ms). */
  readonly placeMs: number;
}

export interface Turn {
  /** Whether the owner holds the lease now. */
  readonly isTaken: boolean;
  /** Number of owners that have their turn before this one, including the one that holds the lease. */
  readonly ahead: number;
}

/** Gives a lease to its waiting owners in the order in which they asked first. */
export interface Turns {
  /**
   * Takes or renews the lease when it is the owner's turn. Otherwise gives the owner the last place in the queue, or
   * confirms the place that it has. An owner that releases the lease and asks again gets the last place.
   */
  take(request: TurnRequest, now: number): Promise<Turn>;
  /** Releases the lease if the owner holds it. */
  release(name: string, owner: string): Promise<void>;
}
