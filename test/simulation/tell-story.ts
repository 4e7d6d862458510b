import type { ProcessWorld } from './process.ts';

/** Everything that led to a broken promise: each run with its changes, batches and findings, then every effect. */
export function tellStory({ store, community, settings }: ProcessWorld, tell: (line: string) => void): void {
  const { runs, plans, batches, findings, ledger } = store.tables;
  tell(`settings ${JSON.stringify(settings)}`);
  for (const run of runs.values()) {
    tell(`${run.id} from ${run.startedAt} to ${run.endedAt}: ${run.outcome} (${run.reason ?? 'no reason'})`);
    for (const { planned } of plans.get(run.id)?.changes.values() ?? []) {
      const { identification, kind, changed, state, stateReason = '', batch = 'no batch' } = planned;
      tell(`  ${identification} ${kind} ${changed.join()} ${state} ${stateReason} [${batch}]`);
    }
    for (const batch of batches.values()) if (batch.run === run.id) tell(`  ${JSON.stringify(batch)}`);
    for (const { code, message } of findings.get(run.id) ?? []) tell(`  ${code}: ${message}`);
  }
  for (const effect of community.effects) tell(JSON.stringify(effect));
  for (const entry of ledger.get(settings.connection)?.values() ?? []) tell(JSON.stringify(entry));
}
