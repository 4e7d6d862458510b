import type { AlertState } from '../../ports/alerts.ts';
import type { QueueDepth } from '../../ports/metrics.ts';
import type { Clock } from '../../ports/runtime.ts';
import type { Store } from '../../ports/store.ts';
import type { Evaluation } from './evaluate.ts';
import { judgeOutage, judgeWork, type Outage, outageToldMs, queueAgedMs, type WorkView } from './judge-work.ts';

/** The facts of a deployment that alerts use. */
export interface WatchedWork {
  /** Whether a sync has a schedule. */
  readonly hasSchedules: boolean;
  /** Whether a scheduler holds the deployment's lease. */
  readonly isScheduled: () => Promise<boolean>;
  /** Whether a worker announced itself lately. Undefined: this deployment has no workers of its own. */
  readonly isWorked: (() => Promise<boolean>) | undefined;
  /** Reads the queue; resolves to undefined when Redis does not answer. Undefined: this process has no queue. */
  readonly queue: (() => Promise<QueueDepth | undefined>) | undefined;
}

/**
 * Evaluates the work of the deployment. Remembers since when something is missing; another process starts its own
 * count.
 */
export interface WorkWatch {
  evaluate(before: AlertState, outage: Outage | undefined): Promise<Evaluation>;
}

export function openWorkWatch(
  watched: WatchedWork,
  { store, clock }: { readonly store: Store; readonly clock: Clock },
): WorkWatch {
  const scheduler = missing();
  const redis = missing();
  const worker = missing();
  const young = missing();
  return {
    async evaluate(before, outage) {
      const now = clock.now();
      const [isScheduled, isWorked, open, waiting] = await Promise.all([
        watched.isScheduled(),
        watched.isWorked?.() ?? true,
        store.runs.unfinished(),
        store.triggers.waitingSyncs(),
      ]);
      const queue = await watched.queue?.();
      const request = await oldestRequest(
        waiting.filter((sync) => open.every((run) => run.sync !== sync)),
        store,
      );
      const found = judgeWork({
        now,
        isSchedulerNeeded: watched.hasSchedules || waiting.length > 0,
        unscheduledSince: scheduler.since(isScheduled, now),
        redisAwaySince: redis.since(watched.queue === undefined || queue !== undefined, now),
        unworkedSince: worker.since(isWorked || open.length === 0, now),
        openRuns: open.length,
        queue,
        agedSince: young.since(queue?.oldestAt === undefined || now - queue.oldestAt < queueAgedMs, now),
        request,
      });
      const isNews = outage !== undefined && outage.until - outage.from >= outageToldMs;
      const told = isNews && (before.storeBackAt ?? 0) < outage.from ? judgeOutage(outage) : undefined;
      const topics = {
        ...(found === undefined ? {} : { work: found }),
        ...(told === undefined ? {} : { store: told }),
      };
      const { judgedUntil, judgedRuns } = before;
      const backAt = told === undefined ? {} : { storeBackAt: outage?.until ?? now };
      return { facts: [{ at: now, topics }], judgedUntil, judgedRuns, ...backAt };
    },
  };
}

/** Remembers since when something is not there. */
function missing(): { since(isThere: boolean, now: number): number | undefined } {
  let from: number | undefined;
  return {
    since(isThere, now) {
      from = isThere ? undefined : Math.min(from ?? now, now);
      return from;
    },
  };
}

async function oldestRequest(syncs: readonly string[], store: Store): Promise<WorkView['request']> {
  const waiting = await Promise.all(syncs.map((sync) => store.triggers.waiting(sync)));
  return waiting.flat().toSorted((a, b) => a.requestedAt - b.requestedAt)[0];
}
