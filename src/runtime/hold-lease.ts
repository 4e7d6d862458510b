import { RollcallError } from '../core/errors.ts';
import type { Clock } from '../ports/runtime.ts';
import type { Lease, Leases } from '../ports/store.ts';

export interface HeldLease {
  readonly lease: Lease;
  /** Aborts with LEASE_LOST as soon as a renewal fails, or with the outer signal's reason. */
  readonly signal: AbortSignal;
  /** Stops renewing and gives the lease back. */
  release(): Promise<void>;
}

export interface LeaseWish {
  readonly name: string;
  readonly owner: string;
  readonly ttlMs: number;
}

/**
 * Takes a lease and keeps it by renewing at a third of its life. Undefined when somebody else holds it. Whoever works
 * under it must stop when `signal` aborts; the fencing number keeps the store safe from those who do not.
 */
export async function holdLease(
  { name, owner, ttlMs }: LeaseWish,
  { leases, clock }: { readonly leases: Leases; readonly clock: Clock },
  outer: AbortSignal,
): Promise<HeldLease | undefined> {
  const lease = await leases.take(name, owner, ttlMs, clock.now());
  if (lease === undefined) return undefined;
  const lost = new AbortController();
  const stopped = new AbortController();
  const signal = AbortSignal.any([outer, lost.signal]);
  const renewing = (async () => {
    for (;;) {
      await clock.sleep(ttlMs / 3, stopped.signal);
      if (await leases.renew(lease, ttlMs, clock.now())) continue;
      lost.abort(new RollcallError(`lease ${name} was lost to another worker`, { code: 'LEASE_LOST' }));
      return;
    }
  })().catch((error: unknown) => {
    if (!stopped.signal.aborted) lost.abort(error);
  });
  const release = async (): Promise<void> => {
    stopped.abort(new RollcallError('released', { code: 'CANCELLED' }));
    await renewing;
    await leases.release(lease);
  };
  return { lease, signal, release };
}
