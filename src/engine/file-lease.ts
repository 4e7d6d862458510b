import type { OwnedRun } from '../ports/store.ts';
import type { EngineIo } from './engine-io.ts';

const ttlMs = 10 * 60_000;

/**
 * Takes or renews the connection's file lease. One file is in flight per connection, across all syncs and workers. The
 * run is the owner, so it keeps the lease after a crash. Returns false when another run holds the lease.
 */
export async function takeFileLease({ run }: OwnedRun, io: EngineIo): Promise<boolean> {
  return (await io.store.leases.take(nameOf(run.connection), run.id, ttlMs, io.clock.now())) !== undefined;
}

/** Releases the file lease if this run holds it. */
export async function releaseFileLease({ run }: OwnedRun, io: EngineIo): Promise<void> {
  const name = nameOf(run.connection);
  const now = io.clock.now();
  const holder = await io.store.leases.holder(name, now);
  if (holder?.owner !== run.id) return;
  const lease = await io.store.leases.take(name, run.id, 1, now);
  if (lease !== undefined) await io.store.leases.release(lease);
}

function nameOf(connection: string): string {
  return `file:${connection}`;
}
