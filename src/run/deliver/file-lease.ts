import type { Turn } from '../../ports/leases.ts';
import type { OwnedRun } from '../../ports/store.ts';
import type { EngineIo } from '../engine-io.ts';

const ttlMs = 10 * 60_000;
/** Longest wait of a run before it asks for its turn again. */
const longestWaitMs = 20_000;
/** A run that does not ask for its turn for this long loses it, because its process may be dead. */
const placeMs = 3 * longestWaitMs;
/** A lease of this age is renewed before a file is sent. */
export const renewAfterMs = ttlMs / 2;
/** The shortest file takes about this part of `settle.every`. See `core/run/waves.ts`. */
const smallestPart = 1 / 20;

/**
 * Takes or renews the connection's file lease. One file is in flight per connection, across all syncs and workers. The
 * runs that wait for the lease get it in turn, for one file each. The run is the owner, so it keeps the lease and its
 * place after a crash.
 */
export function takeFileLease(
  { run }: { readonly run: Pick<OwnedRun['run'], 'id' | 'connection'> },
  io: Pick<EngineIo, 'store' | 'clock'>,
): Promise<Turn> {
  const request = { name: fileLeaseOf(run.connection), owner: run.id, ttlMs, placeMs };
  return io.store.turns.take(request, io.clock.now());
}

/** Returns the wait in ms before a run asks for its turn again. The longer the queue, the longer the wait. */
export function turnWaitMs(everyMs: number, ahead: number): number {
  const part = ahead > 1 ? 2 * ahead * smallestPart : smallestPart;
  return Math.round(Math.min(longestWaitMs, everyMs * part));
}

/** Releases the file lease if this run holds it, so that the next run sends its file. */
export function releaseFileLease({ run }: OwnedRun, io: EngineIo): Promise<void> {
  return io.store.turns.release(fileLeaseOf(run.connection), run.id);
}

/** Name of the connection's file lease, and of the queue for it. */
export function fileLeaseOf(connection: string): string {
  return `file:${connection}`;
}
