import type { RunEnd } from './report.ts';
import type { DeltaSettings } from './settings.ts';

/**
 * Up to where a source is known: everything that it showed before `at` is done with. A delta begins there. It rests on
 * a full read, because what no delta shows (absence, a date that has come, an edit on the platform) only that one sees.
 */
export interface Watermark {
  /** The instant before the last clean read began (epoch ms). */
  readonly at: number;
  /** The same of the last clean full read, and the run that made it. */
  readonly fullAt: number;
  readonly fullRun: string;
  /** Fingerprint of the configuration that decided about people then. */
  readonly fingerprint: string;
}

/** Which read a run made, as it was begun. */
export interface ReadFact {
  readonly kind: 'full' | 'delta' | 'point';
  /** The instant before it began (epoch ms). */
  readonly at: number;
  /** Of a delta: what has changed since was asked for. */
  readonly since?: number;
  /** Why everybody was read although the sync has deltas: a sentence without its full stop. */
  readonly reason?: string;
  readonly fingerprint: string;
}

export interface ReadGrounds {
  /** Absent: the sync reads everybody, always. */
  readonly deltas: DeltaSettings | undefined;
  /** Whether the source, as it is configured, can read only who has changed. */
  readonly canDelta: boolean;
  /** Somebody wants everybody read: a person at a shell, an approval, another try. */
  readonly isFullWished: boolean;
  readonly watermark: Watermark | undefined;
  readonly fingerprint: string;
  readonly now: number;
}

export type NextRead =
  | { readonly kind: 'full'; readonly reason?: string }
  | { readonly kind: 'delta'; readonly since: number; readonly from: Watermark };

/** Which read a run about everybody makes. Whenever anything speaks against a delta, it is a full one. */
export function nextRead(grounds: ReadGrounds): NextRead {
  const { deltas, watermark, fingerprint, now } = grounds;
  if (deltas === undefined) return { kind: 'full' };
  const full = (reason: string): NextRead => ({ kind: 'full', reason });
  if (grounds.isFullWished) return full('it was asked for');
  if (!grounds.canDelta) return full('the source, as it is configured, cannot read only who has changed');
  if (watermark === undefined) return full('no full read is known that a delta could rest on');
  if (watermark.fingerprint !== fingerprint) return full('the configuration has changed since the last one');
  if (now < watermark.at) return full('the clock has been put back since the last one');
  if (now - watermark.fullAt >= deltas.fullEveryMs) return full('it is time for one');
  return { kind: 'delta', since: watermark.at - deltas.overlapMs, from: watermark };
}

/**
 * Where the watermark stands once a run has ended. A clean full read sets it, a clean delta moves it on. A full read that
 * left something undone takes it away, because what is undone may be nothing that a delta would show again; a delta that
 * did leaves it, so that the next one asks for the same people. A delta that met two records of one person takes it away:
 * the other may be in no delta. A point read, and a run without any, touch nothing.
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

/** What a run's end says of people who are not yet as the source wants them. */
export interface CleanGrounds extends RunEnd {
  /** Changes that a person has rejected: they wait for nobody. */
  readonly rejected: number;
  /** People left as they are for a reason that passes. */
  readonly postponed: number;
}

/** Whether everybody whom the run read is done with: nobody waits, failed, was left out, or is not known to be right. */
export function isClean({ states, rejected, postponed, ...end }: CleanGrounds): boolean {
  if (end.failure !== undefined || end.isCancelled || end.isReadDoubted || end.gaps.length > 0) return false;
  if ((end.waiting ?? 0) > 0 || postponed > 0) return false;
  const { applied: _applied, dropped, ...open } = states;
  return dropped <= rejected && Object.values(open).every((count) => count === 0);
}
