import { changesOf, everyRun } from './oracle.ts';
import type { ProcessWorld } from './process.ts';

/** Everything that led to a broken promise: each run with its changes, batches and findings, then every effect. */
export async function tellStory(world: ProcessWorld, tell: (line: string) => void): Promise<void> {
  const { store, community, settings } = world;
  tell(`settings ${JSON.stringify(settings)}`);
  for (const run of await everyRun(store)) {
    tell(`${run.id} from ${run.startedAt} to ${run.endedAt}: ${run.outcome} (${run.reason ?? 'no reason'})`);
    for (const { identification, kind, changed, state, stateReason = '', batch = 'no batch' } of await changesOf(
      store,
      run,
    )) {
      tell(`  ${identification} ${kind} ${changed.join()} ${state} ${stateReason} [${batch}]`);
    }
    for (const batch of await store.batches.ofRun(run.id)) tell(`  ${JSON.stringify(batch)}`);
    for (const { code, message } of await store.runs.findings(run.id, all)) tell(`  ${code}: ${message}`);
  }
  for (const effect of community.effects) tell(JSON.stringify(effect));
  for await (const piece of store.ledger.all(settings.connection)) {
    for (const entry of piece) tell(JSON.stringify(entry));
  }
}

const all = 10_000;
