import type { Finding } from '../core/finding.ts';
import type { Batch, HoldFacts, Run, Store } from '../ports/store.ts';

export interface RunReport {
  readonly run: Run;
  readonly findings: readonly Finding[];
  /** Total number of findings. `findings` holds only the first ones. */
  readonly findingsInAll: number;
  readonly batches: readonly Batch[];
  readonly holds: readonly HoldFacts[];
  /** Interrupted runs that ended before this one, in the same call. */
  readonly resumed: readonly Run[];
}

const shownFindings = 1000;

/** Reports everything that the store has about a run. */
export async function runReport(run: Run, store: Store): Promise<RunReport> {
  const [findings, findingsInAll, batches, holds] = await Promise.all([
    store.runs.findings(run.id, shownFindings),
    store.runs.findingsCount(run.id),
    store.batches.ofRun(run.id),
    store.holds.ofRun(run.id),
  ]);
  return { run, findings, findingsInAll, batches, holds, resumed: [] };
}
