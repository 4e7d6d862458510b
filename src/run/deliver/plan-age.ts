import type { Change } from '../../core/plan/change.ts';
import type { Finding } from '../../core/run/finding.ts';
import { countOf } from '../../core/run/formats.ts';
import type { Clock } from '../../ports/runtime.ts';
import type { Batch, ChangeMark, Run } from '../../ports/store.ts';
import { ageOn } from '../clock-span.ts';

/** How long after planning a decision to enable, disable or remove a user stays valid. */
const certainForMs = 2 * 3_600_000;
/** How long after planning any change may be sent. */
const planLifeMs = 24 * 3_600_000;

/** Returns the age of what the run's plan was made from; of a run without one, its own age. */
function planAge({ read, startedAt }: Run, clock: Clock): number {
  return ageOn(clock, read?.at ?? startedAt);
}

/** Returns whether no further change of the run's plan is sent. */
export function isPlanTooOld(run: Run, clock: Clock): boolean {
  return planAge(run, clock) >= planLifeMs;
}

/** Returns why no further change of the run is sent; undefined when the run may continue. */
export function tooOldToSend(run: Run, clock: Clock): string | undefined {
  if (!isPlanTooOld(run, clock)) return undefined;
  return `the run was interrupted, and its plan is ${hours(planAge(run, clock))} old: the next run plans the unsent changes again`;
}

/**
 * Leaves out of a batch the changes that an old plan must not make. A run may resume hours after planning. By then a
 * leaver may have returned, and a user who was to be enabled may have left.
 */
export function leaveOutUncertain<Planned extends Change>(
  changes: readonly Planned[],
  batch: Batch,
  run: Run,
  clock: Clock,
): { readonly kept: readonly Planned[]; readonly marks: readonly ChangeMark[]; readonly findings: readonly Finding[] } {
  const age = planAge(run, clock);
  if (age < certainForMs) return { kept: changes, marks: [], findings: [] };
  const kept = changes.filter(({ kind }) => kind === 'create' || kind === 'update');
  const left = changes.filter((change) => !kept.includes(change));
  if (left.length === 0) return { kept, marks: [], findings: [] };
  const reason = `planned ${hours(age)} ago, which is too old for enables, disables and removes: the next run plans them again`;
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

/** Returns why the run sends nothing more: canceled, given up, or its plan is too old. Undefined when it continues. */
export function whyStopped(run: Run, clock: Clock): string | undefined {
  return run.isCancelRequested ? 'canceled' : (run.reason ?? tooOldToSend(run, clock));
}
