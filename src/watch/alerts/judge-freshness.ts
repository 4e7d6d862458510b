import type { AlertProblem, LastRuns } from '../../ports/alerts.ts';
import type { Run } from '../../ports/store.ts';
import { ageOf, instantOf } from './words.ts';

export interface FreshnessView {
  readonly sync: string;
  readonly last: LastRuns;
  /** Since when this store knows the sync. */
  readonly firstSeenAt: number;
  /** The minimum instant of the last success. */
  readonly staleBefore: number;
  readonly now: number;
  /** The run that has not ended. */
  readonly underWay?: Pick<Run, 'id' | 'startedAt'>;
}

/** Returns whether the last success is recent enough. Only this check notices runs that never start. */
export function judgeFreshness(view: FreshnessView): AlertProblem | 'well' {
  const { sync, last, firstSeenAt, staleBefore, now } = view;
  const { successAt } = last;
  if ((successAt ?? firstSeenAt) >= staleBefore) return 'well';
  const expected = `a success was expected after ${instantOf(staleBefore)}`;
  const summary =
    successAt === undefined
      ? `No run has ever succeeded; ${expected}`
      : `No run succeeded for ${ageOf(now - successAt)}: the last success was ${instantOf(successAt)}; ${expected}`;
  return {
    topic: 'freshness',
    code: successAt === undefined ? 'never-succeeded' : 'sync-late',
    severity: 'critical',
    key: 'stale',
    summary,
    details: [whatWasTried(view)],
    unaffected: 'Delivered changes stay in effect. A late sync disables no user.',
    action: `rollcall runs ${sync}`,
  };
}

function whatWasTried({ last: { attemptAt, successAt }, underWay }: FreshnessView): string {
  if (underWay !== undefined) {
    return `A run has been in progress since ${instantOf(underWay.startedAt)}. To see its progress: rollcall show ${underWay.id}`;
  }
  if (attemptAt !== undefined && attemptAt !== successAt) {
    return `The last run ended ${instantOf(attemptAt)} without success.`;
  }
  return 'No run has started since then. Check that the schedule had a slot in that time, and that "rollcall start" is running (with Redis: a scheduler).';
}
