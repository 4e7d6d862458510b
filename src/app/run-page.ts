import { RollcallError } from '../core/run/errors.ts';
import type { FindingPage } from '../ports/reports.ts';
import type { EngineIo } from '../run/engine-io.ts';
import type { FoundFindings, RunPage } from '../views/runs.ts';
import { findRun } from './find-named.ts';
import { runReport } from './reports.ts';

/** Reports one run with its timeline, and its findings by cause. */
export async function readRunPage(id: string, io: EngineIo): Promise<RunPage> {
  const { store, clock } = io;
  const run = await findRun(id, store);
  const [report, timeline, causes] = await Promise.all([
    runReport(run, io),
    store.reports.timeline(run.id, clock.now()),
    store.reports.findingCauses(run.id),
  ]);
  // A plan that is being written may have a million changes, and none is in a batch.
  const states = report.batches.length === 0 ? [] : await store.reports.batchStates(run.id);
  return { report, timeline, ...causes, states };
}

/** Lists findings of a run. Throws `USAGE` for a page that begins nowhere. */
export async function readFindings(
  id: string,
  page: Omit<FindingPage, 'run'>,
  { store }: EngineIo,
): Promise<FoundFindings> {
  if (page.after !== undefined && !Number.isSafeInteger(page.after)) {
    throw new RollcallError('the cursor is not valid. Use the cursor of the previous page', { code: 'USAGE' });
  }
  const run = await findRun(id, store);
  const found = await store.reports.findings({ ...page, run: run.id, limit: page.limit + 1 });
  const findings = found.slice(0, page.limit);
  return { findings, next: found.length > page.limit ? findings.at(-1)?.number : undefined };
}
