import { isStoreAway, RollcallError } from '../core/run/errors.ts';
import type { Clock } from '../ports/runtime.ts';
import type { Lease, Leases } from '../ports/store.ts';

export interface Leased {
  readonly lease: Lease;
  /** Aborts with LEASE_LOST as soon as the lease is known to be lost, or with the outer signal's reason. */
  readonly signal: AbortSignal;
}

export interface HeldLease extends Leased {
  /** Aborts `signal` if the lease was not confirmed for this moment. */
  readonly checkTime: () => void;
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
 *
 * In a process that stood still, what it awaited may continue before the timer that renews. So `signal.throwIfAborted`
 * looks at the time too: whoever asks it directly before a call makes none that is late.
 */
export async function underLease<T>(
  request: LeaseRequest,
  io: LeaseIo,
  outer: AbortSignal,
  work: (leased: Leased) => Promise<T>,
): Promise<T | undefined> {
  const held = await holdLease(request, io, outer);
  if (held === undefined) return undefined;
  const { signal, checkTime } = held;
  const throwIfAborted = signal.throwIfAborted.bind(signal);
  signal.throwIfAborted = () => {
    checkTime();
    throwIfAborted();
  };
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
  { name, owner, ttlMs }: LeaseRequest,
  { leases, clock }: LeaseIo,
  outer: AbortSignal,
): Promise<HeldLease | undefined> {
  const takenAt = clock.now();
  const lease = await leases.take(name, owner, ttlMs, takenAt);
  if (lease === undefined) return undefined;
  const everyMs = Math.floor(ttlMs / 3);
  let until = takenAt + ttlMs;
  const lost = new AbortController();
  const stopped = new AbortController();
  const signal = AbortSignal.any([outer, lost.signal]);
  /** Throws LEASE_LOST when another owner has the lease, or when the store did not confirm it in time. */
  const keepRenewing = async (): Promise<never> => {
    for (;;) {
      await clock.sleep(everyMs, stopped.signal);
      const now = clock.now();
      let isOurs: boolean;
      try {
        isOurs = await leases.renew(lease, ttlMs, now);
      } catch (cause) {
        // A store that is locked for a moment does not end the lease before its time.
        if (clock.now() + everyMs < until) continue;
        throw leaseLost(`lease ${name} could not be renewed in time: check why the store is slow to write`, cause);
      }
      if (!isOurs) throw leaseLost(`lease ${name} was lost to another worker`);
      until = now + ttlMs;
    }
  };
  const renewing = keepRenewing().catch((error: unknown) => {
    if (!stopped.signal.aborted) lost.abort(error);
  });
  const checkTime = (): void => {
    if (clock.now() >= until) lost.abort(leaseLost(`lease ${name} ended while this process stood still`));
  };
  const release = async (): Promise<void> => {
    stopped.abort(new RollcallError('released', { code: 'CANCELLED' }));
    await renewing;
    await leases.release(lease);
  };
  return { lease, signal, checkTime, release };
}

function leaseLost(message: string, cause?: unknown): RollcallError {
  return new RollcallError(message, { code: 'LEASE_LOST', cause });
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
