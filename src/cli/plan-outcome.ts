import type { PlanReport } from '../app/app.ts';
import { changesInAll } from './render-counts.ts';

/** The expected outcome of a run with this plan, in the order of exit codes: `failed`, `partial`, `held`. */
export type PlanOutcome = 'planned' | 'nothing-to-do' | 'held' | 'partial' | 'failed';

export const planExitCodes: Readonly<Record<PlanOutcome, number>> = {
  planned: 0,
  'nothing-to-do': 0,
  failed: 1,
  held: 3,
  partial: 4,
};

export function planOutcome({ counts, facts, failure }: PlanReport): PlanOutcome {
  if (failure !== undefined) return 'failed';
  if ((facts.sourceGaps ?? []).length > 0 || facts.unknownPeople !== undefined) return 'partial';
  if (counts.held > 0 || facts.isReadDoubted === true) return 'held';
  return changesInAll(counts) > 0 ? 'planned' : 'nothing-to-do';
}
