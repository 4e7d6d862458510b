import type { Run, Store } from '../ports/store.ts';
import type { RunReport } from './app.ts';

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
