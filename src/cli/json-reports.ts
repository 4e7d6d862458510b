import type { PlanReport } from '../ports/previews.ts';
import type { PlannedChange } from '../ports/store.ts';
import { changeView } from '../views/changes.ts';
import { planView } from '../views/previews.ts';
import { planOutcome } from './render/plan.ts';

/** The object of `plan --json`. `id` is that of the stored plan, because there is no run yet. */
export function planJson(report: PlanReport, changes: readonly PlannedChange[]) {
  const { failure, facts } = report;
  const end = { outcome: planOutcome(report), reason: failure ?? facts.doubt ?? null };
  return { ...planView(report), ...end, changes: changes.map(changeView) };
}

/** Returns ISO 8601 in UTC, or null. */
export function instant(at: number | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString();
}
