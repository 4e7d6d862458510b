import { chooseOutcome, countChanges } from '../core/report.ts';
import type { ChangeState, Outcome } from '../core/run.ts';
import type { Run, RunScope, Store } from '../ports/store.ts';
import type { RequestResult } from './request-state.ts';

const pageRows = 1000;
/** For more people, all changes of the run are read in order instead. */
const mostSingleReads = 100;

/**
 * Returns how an ended run ended for the people whom one of its requests names. A run about more people can fail for some
 * of the others. For a request about all people, and when the changes are pruned, it is the outcome of the run.
 */
export async function requestResult(scope: RunScope, run: Run, store: Store): Promise<RequestResult | undefined> {
  if (run.outcome === undefined) return undefined;
  const changes = await store.plans.countStates(run.id);
  const whole = { outcome: run.outcome, reason: run.reason, changes };
  if (scope.kind === 'all' || (run.scope.kind === 'users' && !hasOthers(scope, run.scope))) return whole;
  const isPruned = total(changes) < total(run.counts);
  if (isPruned || !isOfChanges(run.outcome)) return whole;
  const states = { ...noStates };
  for await (const state of statesOf(run.id, new Set(scope.identifications), store)) states[state] += 1;
  const { facts } = run;
  const end = {
    counts: countChanges(noKinds, noClasses, states, 0),
    states,
    isCancelled: false,
    isReadDoubted: facts.isReadDoubted === true,
    doubt: facts.doubt,
    waiting: facts.blocked?.unresolved ?? 0,
    failure: undefined,
    gaps: facts.sourceGaps ?? [],
  };
  return { ...chooseOutcome(end), changes: states };
}

/** Whether the outcome follows from the changes. A failed or canceled run did not try all of them. */
function isOfChanges(outcome: string): boolean {
  return ofChanges.includes(outcome as Outcome);
}

const ofChanges: readonly Outcome[] = ['succeeded', 'nothing-to-do', 'held', 'partial', 'exported'];

async function* statesOf(run: string, names: ReadonlySet<string>, store: Store): AsyncGenerator<ChangeState> {
  if (names.size <= mostSingleReads) {
    for (const name of names) {
      const change = await store.plans.get(run, name);
      if (change !== undefined) yield change.state;
    }
    return;
  }
  for (let after: string | undefined; ; ) {
    const page = await store.plans.page(run, { limit: pageRows, ...(after === undefined ? {} : { after }) });
    for (const { identification, state } of page) if (names.has(identification)) yield state;
    after = page.at(-1)?.identification;
    if (page.length < pageRows) return;
  }
}

interface Named {
  readonly identifications: readonly string[];
}

/** Returns whether the run is about people whom the request does not name. */
export function hasOthers(request: Named, run: Named): boolean {
  const names = new Set(request.identifications);
  return run.identifications.some((name) => !names.has(name));
}

function total(counts: { readonly applied: number; readonly held: number; readonly failed: number }): number {
  return counts.applied + counts.held + counts.failed;
}

const noStates: Readonly<Record<ChangeState, number>> = {
  planned: 0,
  held: 0,
  sent: 0,
  applied: 0,
  failed: 0,
  unverified: 0,
  unresolved: 0,
  exported: 0,
  dropped: 0,
};
const noKinds = { create: 0, update: 0, enable: 0, disable: 0, remove: 0 };
const noClasses = {
  creates: 0,
  updates: 0,
  emailChanges: 0,
  firstSight: 0,
  enables: 0,
  disables: 0,
  removes: 0,
  handOvers: 0,
};
