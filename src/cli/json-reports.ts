import type { PlanReport, RunReport } from '../app/app.ts';
import { reasonNow } from '../app/reports.ts';
import type { PlannedChange, Run } from '../ports/store.ts';
import { planOutcome } from './render/plan.ts';

/** The object of `plan --json`. `run` is null, because there is no run yet; `plan` names the stored plan. */
export function planJson(report: PlanReport, changes: readonly PlannedChange[]) {
  const { id, sync, digest, counts, facts, findings, holds, failure } = report;
  const outcome = planOutcome(report);
  const reason = failure ?? facts.doubt ?? null;
  const { budget = null, budgetWithHeld = null } = facts;
  const budgets = { budget, budgetWithHeld };
  return { run: null, plan: id, sync, outcome, reason, digest, counts, ...budgets, facts, findings, holds, changes };
}

/** A run of `runs --json`, and the first part of `runJson`. */
export function runFactsJson(run: Run) {
  const { id, sync, connection, trigger, phase, startedAt, endedAt, outcome, reason, digest, counts, facts, requests } =
    run;
  return {
    run: id,
    sync,
    connection,
    trigger,
    phase,
    startedAt: instant(startedAt),
    endedAt: instant(endedAt),
    outcome: outcome ?? null,
    reason: reason ?? null,
    digest: digest ?? null,
    counts,
    requests,
    budget: facts.budget ?? null,
    facts,
  };
}

/** The object of `apply --json`, `show --json`, and of a run of `resync` or `retry`. */
export function runJson(report: RunReport) {
  const { run, findings, findingsInAll, batches, holds, heldEnds, isReadWaiting, resumed } = report;
  return {
    ...runFactsJson(run),
    reasonNow: reasonNow(report) ?? null,
    heldEnds: heldEnds.map(({ by = null, run: usedBy = null, end = null, ...others }) => ({
      ...others,
      by,
      run: usedBy,
      end,
    })),
    isReadWaiting,
    findings,
    findingsInAll,
    batches: batches.map(({ id: batch, number, kind, size, state, fileName, fileId, status, final, reason: why }) => ({
      batch,
      number,
      kind,
      size,
      state,
      fileName: fileName ?? null,
      fileId: fileId ?? null,
      status: status ?? null,
      final: final ?? null,
      reason: why ?? null,
    })),
    holds: holds.map(({ id: hold, class: held, reason: why, size, heldAt, expiresAt, state }) => ({
      hold,
      class: held,
      reason: why,
      count: size,
      heldAt: instant(heldAt),
      expiresAt: instant(expiresAt),
      state,
    })),
    resumed: resumed.map(runFactsJson),
  };
}

/** Returns ISO 8601 in UTC, or null. */
export function instant(at: number | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString();
}
