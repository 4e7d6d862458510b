import { type NextRead, nextRead, type ReadFact } from '../core/next-read.ts';
import type { RunScope } from '../ports/store.ts';
import type { EngineIo, Sync } from './engine-io.ts';

/** What a run asks its source for. */
export type Reading = NextRead | PointRead;

export interface PointRead {
  readonly kind: 'point';
  readonly identifications: readonly string[];
  /** The store does not know what the others claim (no accepted full read yet): all records are read for that. */
  readonly readsAll: boolean;
}

/** Looks up from the store where a delta could begin, and says which read the run makes. */
export async function chooseRead(sync: Sync, scope: RunScope, io: EngineIo): Promise<Reading> {
  if (scope.kind === 'users') {
    const { identifications } = scope;
    return { kind: 'point', identifications, readsAll: await needsAll(sync, io) };
  }
  const { name, deltas } = sync.settings;
  const reading = nextRead({
    deltas,
    canDelta: sync.source.capabilities.delta,
    isFullWished: scope.isFull === true,
    watermark: deltas === undefined ? undefined : await io.store.reads.watermark(name),
    fingerprint: sync.fingerprint,
    now: io.clock.now(),
  });
  if (deltas !== undefined) io.logger.info({ sync: name, read: reading.kind, ...whyOf(reading) }, 'reading the source');
  return reading;
}

/** E-mails decide who is who, and no full read has left in the store who claims which. */
async function needsAll({ settings, fingerprint }: Sync, io: EngineIo): Promise<boolean> {
  if (!settings.match.includes('email')) return false;
  const roster = await io.store.rosters.open(settings.name);
  return roster === undefined || roster.fingerprint !== fingerprint;
}

/** What the run keeps of it. */
export function readFact(reading: Reading, readAt: number, { fingerprint }: Sync): ReadFact {
  const { kind } = reading;
  if (kind === 'delta') return { kind, at: readAt, since: reading.since, fingerprint };
  return { kind, at: readAt, fingerprint, ...whyOf(reading) };
}

function whyOf(reading: Reading): { readonly reason?: string } {
  return reading.kind === 'full' && reading.reason !== undefined ? { reason: reading.reason } : {};
}
