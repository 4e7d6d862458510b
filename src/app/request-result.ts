import { chooseOutcome, noStates } from '../core/run/report.ts';
import { type ChangeState, noCounts } from '../core/run/run.ts';
import { successOutcomes } from '../ports/alerts.ts';
import type { Run, RunScope } from '../ports/store.ts';
import type { EngineIo } from '../run/engine-io.ts';
import { changesOf } from '../run/seal/batches.ts';
import type { RequestResult } from '../views/syncs.ts';

/** For more people, all changes of the run are read in order instead. */
const mostSingleReads = 100;

/** Outcomes that follow from the changes. A failed or canceled run did not try all of them. */
const ofChanges: readonly string[] = [...successOutcomes, 'partial'];

/**
 * Returns how an ended run ended for the people whom one of its requests names. A run about more people can fail for some
 * of the others. For a request about all people, and when the changes are pruned, it is the outcome of the run.
 */
export async function requestResult(scope: RunScope, run: Run, io: EngineIo): Promise<RequestResult | undefined> {
  if (run.outcome === undefined) return undefined;
  const changes = await io.store.plans.countStates(run.id);
  const whole = { outcome: run.outcome, reason: run.reason, changes };
  if (scope.kind === 'all' || (run.scope.kind === 'users' && !hasOthers(scope, run.scope))) return whole;
  const isPruned = total(changes) < total(run.counts);
  if (isPruned || !ofChanges.includes(run.outcome)) return whole;
  const states = { ...noStates };
  for await (const state of statesOf(run.id, new Set(scope.identifications), io)) states[state] += 1;
  const { facts } = run;
  const end = {
    counts: { ...noCounts, ...states },
    states,
    isCancelled: false,
    isReadDoubted: facts.isReadDoubted === true,
    doubt: facts.doubt,
    waiting: facts.blocked?.unresolved ?? 0,
    failure: undefined,
    unknown: facts.unknownPeople === undefined ? 0 : await countUnknown(run.id, scope.identifications, io),
    gaps: facts.sourceGaps ?? [],
  };
  return { ...chooseOutcome(end), changes: states };
}

/** Returns how many of these people the source did not know. */
async function countUnknown(run: string, identifications: readonly string[], { store }: EngineIo): Promise<number> {
  const findings = await store.runs.findings(run);
  const unknown = new Set(findings.flatMap((one) => (one.code === 'person-unknown' ? one.identification : [])));
  return identifications.filter((name) => unknown.has(name)).length;
}

async function* statesOf(run: string, names: ReadonlySet<string>, io: EngineIo): AsyncGenerator<ChangeState> {
  if (names.size <= mostSingleReads) {
    for (const name of names) {
      const change = await io.store.plans.get(run, name);
      if (change !== undefined) yield change.state;
    }
    return;
  }
  for await (const { identification, state } of changesOf(run, io, {})) if (names.has(identification)) yield state;
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
