import type { Change } from '../core/change.ts';
import { countOf } from '../core/count-of.ts';
import type { Finding } from '../core/finding.ts';
import type { Batch, ChangeMark, Run } from '../ports/store.ts';

/** How long after planning who is enabled, disabled or removed is still taken for certain. */
const certainForMs = 2 * 3_600_000;
/** How long after planning anything is sent at all. */
const planLifeMs = 24 * 3_600_000;

/** How old the run's plan is. Runs of older versions do not say: theirs is as old as they are. */
function planAge(run: Run, now: number): number {
  return now - (run.facts.plannedAt ?? run.startedAt);
}

/** Why nothing more of the run is sent; undefined when it may go on. */
export function tooOldToSend(run: Run, now: number): string | undefined {
  const age = planAge(run, now);
  if (age < planLifeMs) return undefined;
  return `its plan was made ${hours(age)} ago and the run was interrupted since: what was not sent is left to the next run, which looks anew`;
}

/**
 * Leaves out of a batch what must not be done by an old plan. A run may be resumed hours after it was planned; by then
 * who had left may be back, and who was to be enabled may have left.
 */
export function leaveOutUncertain<Planned extends Change>(
  changes: readonly Planned[],
  batch: Batch,
  run: Run,
  now: number,
): { readonly kept: readonly Planned[]; readonly marks: readonly ChangeMark[]; readonly findings: readonly Finding[] } {
  const age = planAge(run, now);
  if (age < certainForMs) return { kept: changes, marks: [], findings: [] };
  const kept = changes.filter(({ kind }) => kind === 'create' || kind === 'update');
  const left = changes.filter((change) => !kept.includes(change));
  if (left.length === 0) return { kept, marks: [], findings: [] };
  const reason = `planned ${hours(age)} ago: enables, disables and removes are not sent so late; the next run looks anew`;
  const message = `batch ${batch.number}: ${countOf(left.length, 'change')} left out, ${reason}`;
  return {
    kept,
    marks: left.map(({ identification }) => ({ identification, state: 'failed', reason })),
    findings: [{ code: 'plan-outdated', message }],
  };
}

function hours(ms: number): string {
  return `${Math.floor(ms / 3_600_000)} h`;
}
