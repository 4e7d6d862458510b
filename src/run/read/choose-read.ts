import { type NextRead, nextRead, type ReadFact } from '../../core/run/next-read.ts';
import type { ReadRequest } from '../../ports/source.ts';
import type { RunScope } from '../../ports/store.ts';
import type { EngineIo, Sync } from '../engine-io.ts';

/** The read that a run requests from its source. */
export type Reading = NextRead | PointRead;

export interface PointRead {
  readonly kind: 'point';
  readonly identifications: readonly string[];
  /**
   * The store does not know what other people claim, because no full read was accepted yet. All records are read for
   * that.
   */
  readonly readsAll: boolean;
}

/** Reads from the store where a delta can begin, and returns the read that the run makes. */
export async function chooseRead(sync: Sync, scope: RunScope, io: EngineIo): Promise<Reading> {
  if (scope.kind === 'users') {
    const { identifications } = scope;
    return { kind: 'point', identifications, readsAll: await needsAll(sync, io) };
  }
  const { name, deltas } = sync.settings;
  const reading = nextRead({
    deltas,
    canDelta: sync.source.capabilities.delta,
    isFullRequested: scope.isFull === true,
    watermark: deltas === undefined ? undefined : await io.store.reads.watermark(name),
    fingerprint: sync.fingerprint,
    now: io.clock.now(),
  });
  if (deltas !== undefined) io.logger.info({ sync: name, read: reading.kind, ...whyOf(reading) }, 'reading the source');
  return reading;
}

/** Returns whether e-mails decide identity and no full read has stored who claims which e-mail. */
async function needsAll({ settings, fingerprint }: Sync, io: EngineIo): Promise<boolean> {
  if (!settings.match.includes('email')) return false;
  const roster = await io.store.rosters.open(settings.name);
  return roster === undefined || roster.fingerprint !== fingerprint;
}

/** Returns what the run stores about the read. */
export function readFact(reading: Reading, readAt: number, { fingerprint }: Sync): ReadFact {
  const { kind } = reading;
  if (kind === 'delta') return { kind, at: readAt, since: reading.since, fingerprint };
  return { kind, at: readAt, fingerprint, ...whyOf(reading) };
}

function whyOf(reading: Reading): { readonly reason?: string } {
  return 'reason' in reading ? { reason: reading.reason } : {};
}

/** Returns the request to the source. */
export function sourceRequest(reading: Reading, sync: Sync): ReadRequest {
  switch (reading.kind) {
    case 'full':
      return { kind: 'full' };
    case 'delta':
      return { kind: 'delta', since: new Date(reading.since).toISOString() };
    case 'point':
      return reading.readsAll ? { kind: 'full' } : pointRequest(reading.identifications, sync);
  }
}

/**
 * Returns the request for named people. They are looked up by key if the mapping uses it unchanged. Otherwise all
 * people are read and filtered here.
 */
export function pointRequest(identifications: readonly string[], { mapping }: Sync): ReadRequest {
  const field = mapping.identificationField;
  return field === undefined ? { kind: 'full' } : { kind: 'point', identifications, field };
}
