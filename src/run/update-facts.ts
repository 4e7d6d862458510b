import type { OwnedRun, RunFacts } from '../ports/store.ts';
import type { EngineIo } from './engine-io.ts';

/** Changes some facts of the run and keeps the others as they are stored now. `undefined` removes a fact. */
export async function updateFacts(
  owned: OwnedRun,
  patch: { readonly [Name in keyof RunFacts]?: RunFacts[Name] | undefined },
  io: EngineIo,
): Promise<void> {
  const stored = (await io.store.runs.get(owned.run.id))?.facts;
  const facts = Object.entries({ ...stored, ...patch }).filter(([, value]) => value !== undefined);
  await io.store.runs.update(owned, { facts: Object.fromEntries(facts) });
}
