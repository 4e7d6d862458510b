import type { AlertCode } from '../../core/run/codes/alert-entries.ts';
import { countOf } from '../../core/run/count-of.ts';
import type { AlertProblem } from '../../ports/alerts.ts';
import type { QueueDepth } from '../../ports/metrics.ts';
import { ageOf, instantOf } from './words.ts';

/** What a process knows about the work of its deployment. Instants are epoch ms. */
export interface WorkView {
  readonly now: number;
  /** Whether a sync has a schedule, or a request waits. Without either, no scheduler is missed. */
  readonly isSchedulerNeeded: boolean;
  /** Since when this process has seen no scheduler; undefined while there is one. */
  readonly unscheduledSince: number | undefined;
  /** Since when Redis has not answered this process; undefined while it does, and without Redis. */
  readonly redisAwaySince: number | undefined;
  /** Since when runs are open and this process has seen no worker; undefined while there is one, and without Redis. */
  readonly unworkedSince: number | undefined;
  readonly openRuns: number;
  /** Jobs in the queue, and when the oldest was added; undefined without Redis, and while it does not answer. */
  readonly queue: QueueDepth | undefined;
  /** Since when every check has found a job that waits for longer than `queueAgedMs`. */
  readonly agedSince: number | undefined;
  /** The oldest request without a run whose sync is neither paused nor has an open run. */
  readonly request: { readonly sync: string; readonly requestedAt: number } | undefined;
}

/** Longer than a scheduler needs to be replaced: its lease lasts 15 s, a rollout about a minute. */
export const schedulerMissedMs = 120_000;
/** Longer than a rollout of workers and a failover of Redis. */
export const workersMissedMs = 300_000;
/** A request is taken up within a second, and a job as soon as a worker is free. */
export const queueAgedMs = 600_000;
/** A job keeps its age while its run waits for the platform, so one old job at one check means nothing. */
export const agedForMs = 300_000;

/**
 * Returns whether work is done: a problem, `well`, or undefined while something is missing, but not for long. Only one
 * cause is returned, the one that explains the others.
 */
export function judgeWork(view: WorkView): AlertProblem | 'well' | undefined {
  const { now, unscheduledSince, redisAwaySince, unworkedSince, queue, agedSince, request } = view;
  const missed = (since: number | undefined, ms: number): since is number => since !== undefined && now - since >= ms;
  if (view.isSchedulerNeeded && missed(unscheduledSince, schedulerMissedMs)) {
    const summary = `No scheduler has been active for ${ageOf(now - unscheduledSince)} (since ${instantOf(unscheduledSince)}), so no run starts`;
    return problem('no-scheduler', summary, 'start a process with "rollcall start" (with Redis: --role scheduler)');
  }
  if (missed(redisAwaySince, workersMissedMs)) {
    const summary = `Redis has not answered for ${ageOf(now - redisAwaySince)} (since ${instantOf(redisAwaySince)}), so workers get no jobs`;
    return problem('no-redis', summary, 'restart Redis, or check the network policy; requests are kept in the store');
  }
  if (missed(unworkedSince, workersMissedMs)) {
    const summary = `No worker has been active for ${ageOf(now - unworkedSince)} (since ${instantOf(unworkedSince)}), so ${countOf(view.openRuns, 'open run')} cannot continue`;
    return problem('no-worker', summary, 'start a process with "rollcall start --role worker"');
  }
  if (queue !== undefined && missed(agedSince, agedForMs)) {
    const summary = `${countOf(queue.waiting, 'job')} in the queue; for ${ageOf(now - agedSince)} the oldest has waited for more than ${ageOf(queueAgedMs)}`;
    return problem('jobs-wait', summary, 'start more workers, or read the log of the running ones', 'warning');
  }
  if (request !== undefined && now - request.requestedAt >= queueAgedMs) {
    const { sync, requestedAt } = request;
    const summary = `A run of ${sync} was requested ${ageOf(now - requestedAt)} ago (${instantOf(requestedAt)}) and has not started`;
    return problem('requests-wait', summary, 'read the log of the scheduler', 'warning');
  }
  const missing = [view.isSchedulerNeeded ? unscheduledSince : undefined, redisAwaySince, unworkedSince, agedSince];
  return missing.every((since) => since === undefined) ? 'well' : undefined;
}

function problem(
  code: AlertCode,
  summary: string,
  action: string,
  severity: AlertProblem['severity'] = 'critical',
): AlertProblem {
  const unaffected = 'Delivered changes stay in effect. Requests and runs are kept, and continue where they stopped.';
  return { topic: 'work', code, severity, key: code, summary, details: [], unaffected, action };
}

/** A time in which the store did not answer. */
export interface Outage {
  readonly from: number;
  readonly until: number;
}

/** Shorter outages are in the log only. */
export const outageToldMs = 60_000;

/**
 * Reports that the store was unavailable. No notice can be stored during the outage, so the report follows afterwards.
 */
export function judgeOutage({ from, until }: Outage): { readonly over: AlertProblem } {
  return {
    over: {
      topic: 'store',
      code: 'store-was-away',
      severity: 'info',
      key: 'away',
      summary: `The store did not answer for ${ageOf(until - from)}, from ${instantOf(from)} to ${instantOf(until)}`,
      details: ['Runs waited and continue where they stopped. No alert could be sent in that time.'],
      unaffected: undefined,
      action: 'read the log of the database for that time',
    },
  };
}
