import { conflict, describeError, isStoreAway, RollcallError } from '../core/run/errors.ts';
import { deploymentLease, workersLease } from '../ports/leases.ts';
import type { Clock, Logger } from '../ports/runtime.ts';
import type { Store } from '../ports/store.ts';
import { type HeldLease, type LeaseIo, type LeaseRequest, releaseOrExpire, takeOverLease } from '../run/lease.ts';

export const deploymentLeaseMs = 15_000;

/** Lease owner that all schedulers with Redis share, because together they are one deployment. */
const deploymentOwner = 'redis';

export interface DeploymentIo {
  readonly store: Pick<Store, 'leases'>;
  readonly clock: Clock;
}

/**
 * Renews the lease that tells other processes that a deployment runs. Throws CONFLICT when a deployment without Redis
 * holds it.
 */
export async function announceDeployment({ store, clock }: DeploymentIo, signal: AbortSignal): Promise<void> {
  for (let isSecondTry = false; ; isSecondTry = true) {
    if (signal.aborted) return;
    const now = clock.now();
    if ((await store.leases.take(deploymentLease, deploymentOwner, deploymentLeaseMs, now)) !== undefined) return;
    const holder = await store.leases.holder(deploymentLease, now);
    if (holder === undefined) continue;
    if (isSecondTry && holder.until > now + deploymentLeaseMs / 3) {
      const message = 'a "rollcall start" without Redis uses this store: stop it first';
      throw conflict(message);
    }
    await clock.sleep(Math.max(1, holder.until - now), signal).catch(() => {});
  }
}

const workersLeaseMs = 60_000;
const announceWorkerEveryMs = 15_000;

/** Renews the lease that tells schedulers that a worker lives. Returns when the signal aborts. */
export async function announceWorker({ store, clock }: DeploymentIo, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    // The worker's jobs report a store that is not available.
    await store.leases.take(workersLease, deploymentOwner, workersLeaseMs, clock.now()).catch(() => {});
    await clock.sleep(announceWorkerEveryMs, signal).catch(() => {});
  }
}

/**
 * For a start without Redis. Throws CONFLICT when a worker with Redis renews its lease. Waits until the last worker is
 * certainly dead, as for any lease.
 */
export async function refuseBesideWorkers({ store, clock }: DeploymentIo, signal: AbortSignal): Promise<void> {
  const seen = await store.leases.holder(workersLease, clock.now());
  if (seen === undefined) return;
  // A worker that lives renews its lease before this instant.
  const silentUntil = seen.until - workersLeaseMs + 2 * announceWorkerEveryMs;
  for (let holder: typeof seen | undefined = seen; holder !== undefined && clock.now() < silentUntil; ) {
    await clock.sleep(1000, signal);
    holder = await store.leases.holder(workersLease, clock.now());
    if (holder !== undefined && holder.until !== seen.until) {
      const message =
        'workers of a deployment with Redis use this store, and this configuration has no "redis". Add "redis", or stop every worker and scheduler first';
      throw conflict(message);
    }
  }
}

/** Resolves when the signal aborts. */
export async function untilAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

export interface LeasedWork {
  /** Called once, when the lease is taken for the first time. */
  readonly onReady: () => void;
  /** Called at each attempt to reach a store that is away. */
  readonly onWait: () => void;
  /** Works until the signal aborts, which also happens when the lease is lost. */
  run(signal: AbortSignal): Promise<void>;
  /** The error when another owner has the lease. */
  conflict(): RollcallError;
}

/** Time between two looks for a store that is away (ms). */
const storePollMs = 1000;

/**
 * Works under a lease until `outer` aborts. Waits for the lease of a dead process to expire. When the store is
 * unavailable for longer than the lease lasts, the work stops, and starts again when the store is available: every
 * write is fenced, so the wait harms nothing. Throws `conflict` when another owner has the lease, and LEASE_LOST when
 * one has taken it over.
 */
export async function workUnderLease(
  request: LeaseRequest,
  work: LeasedWork,
  io: LeaseIo & { readonly logger: Logger },
  outer: AbortSignal,
): Promise<void> {
  for (let isBack = false; ; isBack = true) {
    const held = await take(request, work, io, outer);
    if (held === undefined) return;
    if (isBack) io.logger.info({}, 'the store is available again: work continues');
    else work.onReady();
    try {
      await work.run(held.signal);
    } finally {
      await releaseOrExpire(held);
    }
    if (outer.aborted) return;
    const { reason } = held.signal;
    if (!(reason instanceof RollcallError && isStoreAway(reason.cause))) held.signal.throwIfAborted();
    io.logger.warn({ error: describeError(reason) }, 'the store is unavailable: all work waits for it');
  }
}

/** Takes the lease, also from a store that is away for a while. Returns undefined when asked to stop while waiting. */
async function take(
  request: LeaseRequest,
  work: LeasedWork,
  io: LeaseIo,
  outer: AbortSignal,
): Promise<HeldLease | undefined> {
  for (;;) {
    try {
      const held = await takeOverLease(request, io, outer);
      if (held !== undefined) return held;
    } catch (error) {
      if (outer.aborted) return undefined;
      if (!isStoreAway(error)) throw error;
      work.onWait();
      await io.clock.sleep(storePollMs, outer).catch(() => {});
      continue;
    }
    throw work.conflict();
  }
}
