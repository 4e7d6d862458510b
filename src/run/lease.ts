import { isStoreAway, RollcallError } from '../core/run/errors.ts';
import type { Clock } from '../ports/runtime.ts';
import type { Lease, Leases } from '../ports/store.ts';

export interface Leased {
  readonly lease: Lease;
  /** Aborts with LEASE_LOST as soon as the lease is known to be lost, or with the outer signal's reason. */
  readonly signal: AbortSignal;
}

export interface HeldLease extends Leased {
  /** Stops renewing and releases the lease. */
  release(): Promise<void>;
}

export interface LeaseRequest {
  readonly name: string;
  readonly owner: string;
  readonly ttlMs: number;
}

export interface LeaseIo {
  readonly leases: Leases;
  readonly clock: Clock;
}

/**
 * Works under a lease, which is renewed and then released. Returns undefined, and does nothing, when another owner holds
 * it. `outer` stops the work. When the store is unavailable at the end, the lease expires.
 */
export async function underLease<T>(
  request: LeaseRequest,
  io: LeaseIo,
  outer: AbortSignal,
  work: (leased: Leased) => Promise<T>,
): Promise<T | undefined> {
  const held = await holdLease(request, io, outer);
  if (held === undefined) return undefined;
  try {
    return await work(held);
  } finally {
    await releaseOrExpire(held);
  }
}

/** Releases the lease. When the store is unavailable, the lease expires. */
export async function releaseOrExpire(held: HeldLease): Promise<void> {
  await held.release().catch((error: unknown) => {
    if (!isStoreAway(error)) throw error;
  });
}

/**
 * Takes a lease and renews it every third of its duration. Returns undefined when another owner holds it. Work under
 * the lease must stop when `signal` aborts. The fencing number protects the store from work that does not stop.
 */
export async function holdLease(
  request: LeaseRequest,
  io: LeaseIo,
  outer: AbortSignal,
): Promise<HeldLease | undefined> {
  const { leases, clock } = io;
  const takenAt = clock.now();
  const lease = await leases.take(request.name, request.owner, request.ttlMs, takenAt);
  if (lease === undefined) return undefined;
  const lost = new AbortController();
  const stopped = new AbortController();
  const signal = AbortSignal.any([outer, lost.signal]);
  const renewing = keepRenewing({ lease, takenAt, ttlMs: request.ttlMs }, io, stopped.signal).catch(
    (error: unknown) => {
      if (!stopped.signal.aborted) lost.abort(error);
    },
  );
  const release = async (): Promise<void> => {
    stopped.abort(new RollcallError('released', { code: 'CANCELLED' }));
    await renewing;
    await leases.release(lease);
  };
  return { lease, signal, release };
}

/**
 * Renews until stopped. Throws LEASE_LOST when another owner has the lease, or when the store did not confirm it in
 * time.
 */
async function keepRenewing(
  { lease, takenAt, ttlMs }: { readonly lease: Lease; readonly takenAt: number; readonly ttlMs: number },
  { leases, clock }: LeaseIo,
  stopped: AbortSignal,
): Promise<never> {
  const everyMs = Math.floor(ttlMs / 3);
  let until = takenAt + ttlMs;
  for (;;) {
    await clock.sleep(everyMs, stopped);
    const now = clock.now();
    let isOurs: boolean;
    try {
      isOurs = await leases.renew(lease, ttlMs, now);
    } catch (cause) {
      // A store that is locked for a moment does not end the lease before its time.
      if (clock.now() + everyMs < until) continue;
      const message = `lease ${lease.name} could not be renewed in time: check why the store is slow to write`;
      throw new RollcallError(message, { code: 'LEASE_LOST', cause });
    }
    if (!isOurs) throw new RollcallError(`lease ${lease.name} was lost to another worker`, { code: 'LEASE_LOST' });
    until = now + ttlMs;
  }
}

const pollMs = 1000;

/**
 * Takes a lease as `holdLease` does, but waits for the lease of a dead holder to expire. Returns undefined as soon as
 * the holder renews its lease, because it is then alive. Rejects with the outer signal's reason.
 */
export async function takeOverLease(
  request: LeaseRequest,
  io: LeaseIo,
  outer: AbortSignal,
): Promise<HeldLease | undefined> {
  const { leases, clock } = io;
  let seen: { readonly owner: string; readonly until: number } | undefined;
  for (;;) {
    outer.throwIfAborted();
    const held = await holdLease(request, io, outer);
    if (held !== undefined) return held;
    const holder = await leases.holder(request.name, clock.now());
    if (holder === undefined) continue;
    if (seen !== undefined && (holder.owner !== seen.owner || holder.until !== seen.until)) return undefined;
    seen = holder;
    await clock.sleep(Math.min(pollMs, Math.max(1, holder.until - clock.now())), outer);
  }
}
