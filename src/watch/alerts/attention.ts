import type { Clock } from '../../ports/runtime.ts';
import type { Store } from '../../ports/store.ts';
import { overlapMs, type SyncToEvaluate, type WatchedSync } from './evaluate.ts';

/** A sync without any sign is evaluated this often. */
const atLeastEveryMs = 600_000;

/** What the last evaluation of a sync has shown. */
export interface LastEvaluation {
  /** A problem is open, or another process was faster. */
  readonly isOpen: boolean;
  /** The last success, else when the sync was first seen; undefined when no success is expected. */
  readonly freshAt: number | undefined;
}

/** Chooses the syncs to evaluate, so that idle syncs without a problem cost three queries together. */
export interface Attention {
  /**
   * Returns the syncs to evaluate now: those with an open problem, with a run that has ended since the last call, with a
   * run in progress that has trouble with a batch, or whose last success has become too old; each sync at the first call
   * and at least every ten minutes.
   */
  due(): Promise<readonly SyncToEvaluate[]>;
  evaluated(sync: WatchedSync, last: LastEvaluation): void;
}

export function openAttention(
  syncs: readonly WatchedSync[],
  { store, clock }: { readonly store: Pick<Store, 'alerts' | 'pauses'>; readonly clock: Clock },
): Attention {
  const known = new Map<WatchedSync, LastEvaluation & { readonly at: number }>();
  let checkedUntil: number | undefined;
  return {
    async due() {
      const now = clock.now();
      const ended =
        checkedUntil === undefined ? [] : await store.alerts.syncsWithEnds(Math.min(checkedUntil, now) - overlapMs);
      const troubled = new Map((await store.alerts.troubledRuns()).map(({ sync, run }) => [sync, run]));
      const paused = (await store.pauses.list()).map(({ sync }) => sync);
      checkedUntil = now;
      const due = syncs.filter((sync) => {
        // A pause prolongs the time to catch up, even while nothing else happens.
        sync.isExcused(now, paused.includes(sync.name));
        const last = known.get(sync);
        if (last === undefined || last.isOpen || ended.includes(sync.name) || troubled.has(sync.name)) return true;
        if (now < last.at || now >= last.at + atLeastEveryMs) return true;
        return last.freshAt !== undefined && last.freshAt < (sync.staleBefore(now) ?? Number.NEGATIVE_INFINITY);
      });
      return due.map((sync) => ({ sync, troubledRun: troubled.get(sync.name) }));
    },
    evaluated(sync, last) {
      known.set(sync, { ...last, at: clock.now() });
    },
  };
}
