export interface Lease {
  readonly name: string;
  readonly owner: string;
  readonly fence: number;
}

export interface Leases {
  /** Takes the lease if it is free or over; the fence grows with every taking. Undefined when somebody else holds it. */
  take(name: string, owner: string, ttlMs: number, now: number): Promise<Lease | undefined>;
  /** Extends it; false when it was lost. */
  renew(lease: Lease, ttlMs: number, now: number): Promise<boolean>;
  /** Gives it back, only if it is still ours. */
  release(lease: Lease): Promise<void>;
  holder(name: string, now: number): Promise<{ owner: string; until: number } | undefined>;
}
