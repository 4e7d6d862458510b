import type { JobContext } from '../run/work.ts';
import { holdLease, type LeaseIo, type LeaseRequest, releaseOrExpire } from './hold-lease.ts';

/** Returns a function that works under a lease, as `JobContext.withLease` says. `outer` stops the work. */
export function openWithLease(
  newRequest: () => Omit<LeaseRequest, 'name'>,
  io: LeaseIo,
  outer: AbortSignal,
): JobContext['withLease'] {
  return async (name, work) => {
    const held = await holdLease({ ...newRequest(), name }, io, outer);
    if (held === undefined) return undefined;
    try {
      return await work(held.signal);
    } finally {
      await releaseOrExpire(held);
    }
  };
}
