import type { AlertProblem, LastRuns } from '../ports/alerts.ts';
import { ageOf, instantOf } from './words.ts';

export interface FreshnessView {
  readonly sync: string;
  readonly last: LastRuns;
  /** From when on we know the sync at all. */
  readonly firstSeenAt: number;
  /** A success must be as new as this. */
  readonly staleBefore: number;
  readonly now: number;
}

/** Whether the sync did its job lately. It need not have failed: a run that never began is told here, and nowhere else. */
export function judgeFreshness({ sync, last, firstSeenAt, staleBefore, now }: FreshnessView): AlertProblem | 'well' {
  const { successAt, attemptAt } = last;
  if ((successAt ?? firstSeenAt) >= staleBefore) return 'well';
  const wished = `expected one since ${instantOf(staleBefore)}`;
  const summary =
    successAt === undefined
      ? `No run has ever succeeded; ${wished}`
      : `No success for ${ageOf(now - successAt)}: the last one ended ${instantOf(successAt)}; ${wished}`;
  const tried =
    attemptAt === undefined || attemptAt === successAt
      ? 'No run has been tried since: is "rollcall start" running?'
      : `The last run ended ${instantOf(attemptAt)} without success.`;
  return {
    topic: 'freshness',
    severity: 'critical',
    key: 'stale',
    summary,
    details: [tried],
    unaffected: 'What was delivered before stays as it is; nobody is disabled by this.',
    action: `rollcall runs ${sync}`,
  };
}
