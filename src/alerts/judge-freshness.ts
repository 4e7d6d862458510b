import type { AlertProblem, LastRuns } from '../ports/alerts.ts';
import type { Run } from '../ports/store.ts';
import { ageOf, instantOf } from './words.ts';

export interface FreshnessView {
  readonly sync: string;
  readonly last: LastRuns;
  /** From when on we know the sync at all. */
  readonly firstSeenAt: number;
  /** A success must be as new as this. */
  readonly staleBefore: number;
  readonly now: number;
  /** The run that has not ended. */
  readonly underWay?: Pick<Run, 'id' | 'startedAt'>;
}

/** Whether the sync did its job lately. It need not have failed: a run that never began is told here, and nowhere else. */
export function judgeFreshness(view: FreshnessView): AlertProblem | 'well' {
  const { sync, last, firstSeenAt, staleBefore, now } = view;
  const { successAt } = last;
  if ((successAt ?? firstSeenAt) >= staleBefore) return 'well';
  const wished = `expected one since ${instantOf(staleBefore)}`;
  const summary =
    successAt === undefined
      ? `No run has ever succeeded; ${wished}`
      : `No success for ${ageOf(now - successAt)}: the last one ended ${instantOf(successAt)}; ${wished}`;
  return {
    topic: 'freshness',
    severity: 'critical',
    key: 'stale',
    summary,
    details: [whatWasTried(view)],
    unaffected: 'What was delivered before stays as it is; nobody is disabled by this.',
    action: `rollcall runs ${sync}`,
  };
}

function whatWasTried({ last: { attemptAt, successAt }, underWay }: FreshnessView): string {
  if (underWay !== undefined) {
    return `A run is under way since ${instantOf(underWay.startedAt)}: rollcall show ${underWay.id} tells how far it is.`;
  }
  if (attemptAt !== undefined && attemptAt !== successAt) {
    return `The last run ended ${instantOf(attemptAt)} without success.`;
  }
  return 'No run has been tried since: had its schedule a slot in that time, and does a "rollcall start" run (with Redis: a scheduler)?';
}
