import type { EngineIo } from '../engine-io.ts';
import type { PlanWork } from '../plan-job.ts';
import { changesOf } from '../seal/batches.ts';

/**
 * Takes changes out of a plan whose e-mail does not become free because the change that they wait for is held or was
 * rejected. `waits`: identification to the one that it waits for; in a cycle, each waits for all.
 */
export async function withdrawDependents(
  { recorder, findings }: PlanWork,
  waits: ReadonlyMap<string, string>,
  io: EngineIo,
): Promise<void> {
  if (waits.size === 0) return;
  const claimantOf = new Map([...waits].map(([claimant, holder]) => [holder, claimant]));
  const stopped = new Map<string, 'held' | 'dropped'>();
  for await (const { identification, state } of changesOf(recorder.planId, io, { states: ['held', 'dropped'] })) {
    const isLinked = waits.has(identification) || claimantOf.has(identification);
    if (isLinked) stopped.set(identification, state === 'held' ? 'held' : 'dropped');
  }
  for (const [first, state] of [...stopped]) {
    let holder = first;
    for (let next = claimantOf.get(holder); next !== undefined && !stopped.has(next); next = claimantOf.get(next)) {
      stopped.set(next, state);
      const what = state === 'held' ? 'held' : 'rejected';
      const reason = `${what} with the change of ${holder}, whose e-mail it takes over`;
      await recorder.setAside([next], { state, reason });
      const message = `${next} takes over the e-mail of ${holder}, whose change is ${what}: both wait`;
      findings.find({ code: state === 'held' ? 'held' : 'email-conflict', identification: next, message });
      holder = next;
    }
  }
}
