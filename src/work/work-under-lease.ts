import { describeError, isStoreAway, RollcallError } from '../core/run/errors.ts';
import type { Logger } from '../ports/runtime.ts';
import { type HeldLease, type LeaseIo, type LeaseRequest, releaseOrExpire, takeOverLease } from './hold-lease.ts';

export interface LeasedWork {
  /** Called once, when the lease is taken for the first time. */
  readonly onReady: () => void;
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
    const held = await take(request, work, io, { outer, mayWait: isBack });
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

/** Returns undefined when asked to stop while waiting. `mayWait`: also for a store that is away. */
async function take(
  request: LeaseRequest,
  work: LeasedWork,
  io: LeaseIo,
  { outer, mayWait }: { readonly outer: AbortSignal; readonly mayWait: boolean },
): Promise<HeldLease | undefined> {
  for (;;) {
    try {
      const held = await takeOverLease(request, io, outer);
      if (held !== undefined) return held;
    } catch (error) {
      if (outer.aborted) return undefined;
      if (!mayWait || !isStoreAway(error)) throw error;
      await io.clock.sleep(storePollMs, outer).catch(() => {});
      continue;
    }
    throw work.conflict();
  }
}
