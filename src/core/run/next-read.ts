import type { RunEnd } from './report.ts';
import type { DeltaSettings } from './settings.ts';

/**
 * The instant up to which a source is fully processed. The next delta begins there. It depends on an earlier full read,
 * because a delta never shows an absence, a date that has arrived, or an edit on the platform.
 */
export interface Watermark {
  /** The instant before the last clean read began (epoch ms). */
  readonly at: number;
  /** The same for the last clean full read, and the run that made it. */
  readonly fullAt: number;
  readonly fullRun: string;
  /** Fingerprint of the configuration that applied to that read. */
  readonly fingerprint: string;
}

/** The kind of read that a run made, as recorded at its start. */
export interface ReadFact {
  readonly kind: 'full' | 'delta' | 'point';
  /** The instant before the read began (epoch ms). */
  readonly at: number;
  /** For a delta: the start of the requested change period. */
  readonly since?: number;
  /** Why the run made a full read although the sync has deltas: a sentence without its full stop. */
  readonly reason?: string;
  readonly fingerprint: string;
}

export interface ReadGrounds {
  /** Absent: every read of the sync is full. */
  readonly deltas: DeltaSettings | undefined;
  /** Whether the source, as configured, supports delta reads. */
  readonly canDelta: boolean;
  /** A full read is requested: by an operator, an approval or a retry. */
  readonly isFullRequested: boolean;
  readonly watermark: Watermark | undefined;
  readonly fingerprint: string;
  readonly now: number;
}

export type NextRead =
  | { readonly kind: 'full'; readonly reason?: string }
  | { readonly kind: 'delta'; readonly since: number; readonly from: Watermark };

/** Returns the kind of read for a run about all people. Any reason against a delta makes the read full. */
export function nextRead(grounds: ReadGrounds): NextRead {
  const { deltas, watermark, fingerprint, now } = grounds;
  if (deltas === undefined) return { kind: 'full' };
  const full = (reason: string): NextRead => ({ kind: 'full', reason });
  if (grounds.isFullRequested) return full('a full read was requested');
  if (!grounds.canDelta) return full('the source cannot read only the changed employees with this configuration');
  if (watermark === undefined) return full('a delta needs an earlier full read, and none is known');
  if (watermark.fingerprint !== fingerprint) return full('the configuration has changed since the last full read');
  if (now < watermark.at) return full('the clock was set back after the last full read');
  if (now - watermark.fullAt >= deltas.fullEveryMs) return full('the next full read is due');
  return { kind: 'delta', since: watermark.at - deltas.overlapMs, from: watermark };
}

/**
 * Returns the watermark after a run ended. A clean full read sets it, and a clean delta advances it. An unclean full
 * read removes it, because a later delta may not show the unfinished people again. An unclean delta keeps it, so that
 * the next delta requests the same people. A delta with two records of one person removes it, because no delta may show
 * the other record. A point read, and a run without a read, do not change it.
 */
export function watermarkAfter(
  before: Watermark | undefined,
  run: {
    readonly id: string;
    readonly read: ReadFact | undefined;
    readonly isClean: boolean;
    readonly needsFull: boolean;
  },
): Watermark | undefined {
  const { read, isClean } = run;
  if (read === undefined || read.kind === 'point') return before;
  if (run.needsFull) return undefined;
  const { at, fingerprint } = read;
  if (read.kind === 'full') return isClean ? { at, fullAt: at, fullRun: run.id, fingerprint } : undefined;
  const isOnIt = before !== undefined && before.fingerprint === fingerprint && before.at <= at;
  return isClean && isOnIt ? { ...before, at } : before;
}

/**
 * Returns whether all people of the read are processed: no change is waiting, failed, left out or without a known
 * outcome.
 */
export function isClean({ states, failure, isCancelled, plan }: RunEnd): boolean {
  if (failure !== undefined || isCancelled || plan.isReadDoubted) return false;
  if (plan.sourceGaps.length > 0 || (plan.blocked.unresolved ?? 0) > 0) return false;
  if (plan.postponed > 0 || plan.createsWait > 0) return false;
  const { applied: _applied, dropped, ...open } = states;
  return dropped <= plan.rejected && Object.values(open).every((count) => count === 0);
}

/** Which people a run is about. A list of names may hold one twice. */
type Scope =
  | { readonly kind: 'all' }
  | {
      readonly kind: 'users';
      readonly identifications: readonly string[];
      readonly undoes?: unknown;
      readonly leavers?: unknown;
    };

/** People in one run that several requests are joined into: as many as one request may name. */
export const mostJoined = 50_000;

/**
 * Returns the requests for named people that one run can do, out of those that wait, oldest first. Takes them in their
 * order while they name at most `mostJoined` people together. Returns only the first one if it is about all people, undoes
 * a run, or is about leavers alone.
 */
export function joinNamed<Request extends { readonly scope: Scope }>(
  waiting: readonly Request[],
): { readonly joined: readonly Request[]; readonly identifications: readonly string[] } {
  const joined: Request[] = [];
  const names = new Set<string>();
  for (const request of waiting) {
    if (request.scope.kind !== 'users' || (request.scope.undoes ?? request.scope.leavers) !== undefined) {
      const { scope } = request;
      if (joined.length === 0) {
        return { joined: [request], identifications: scope.kind === 'users' ? scope.identifications : [] };
      }
      continue;
    }
    const added = request.scope.identifications.filter((name) => !names.has(name));
    if (joined.length > 0 && names.size + added.length > mostJoined) break;
    for (const name of added) names.add(name);
    joined.push(request);
  }
  return { joined, identifications: [...names] };
}
