import type { Run } from '../ports/store.ts';
import type { EngineIo } from '../run/engine-io.ts';
import type { RunReport } from '../views/runs.ts';
import { isReadWaiting } from './holds.ts';

const shownFindings = 1000;
const shownVerdicts = 20;

/** Reports everything that the store has about a run that has ended. See `openRunReport`. */
export async function runReport(run: Run, io: Pick<EngineIo, 'store' | 'clock'>): Promise<RunReport> {
  const { store, clock } = io;
  const [findings, findingsInAll, batches, holds, isWaiting, approvals, rejections] = await Promise.all([
    store.runs.findings(run.id, shownFindings),
    store.runs.findingsCount(run.id),
    store.batches.ofRun(run.id),
    store.holds.ofRun(run.id),
    isReadWaiting(run, store),
    store.audit.list({ run: run.id, action: 'approve', limit: shownVerdicts }),
    store.audit.list({ run: run.id, action: 'reject', limit: shownVerdicts }),
  ]);
  const heldEnds = holds.length === 0 ? [] : await store.reports.heldEnds(run.id, run.sync, clock.now());
  const verdicts = [...approvals, ...rejections].toSorted((a, b) => b.at - a.at);
  return {
    ...{ run, findings, findingsInAll, batches, holds },
    ...{ heldEnds, isReadWaiting: isWaiting, verdicts, resumed: [], work: undefined },
  };
}
