import { runLease, workersLease } from '../ports/leases.ts';
import type { Batch, Run } from '../ports/store.ts';
import { spanOn } from '../run/clock-span.ts';
import { isFilePending } from '../run/deliver/wave.ts';
import type { RunReport, RunWork } from '../views/runs.ts';
import type { AppIo } from './app-io.ts';
import { runReport } from './reports.ts';

/** Reports a run that may be in progress. */
export async function openRunReport(run: Run, io: AppIo): Promise<RunReport> {
  const report = await runReport(run, io.engine);
  return { ...report, work: await readRunWork(run, report.batches, io) };
}

/** Returns undefined for a run that has ended. */
export async function readRunWork(run: Run, batches: readonly Batch[], io: AppIo): Promise<RunWork | undefined> {
  if (run.phase === 'done') return undefined;
  return { interrupted: await interruptionOf(run, io), files: filesOf(run, batches, io) };
}

async function interruptionOf(run: Run, io: AppIo): Promise<RunWork['interrupted']> {
  const { store, clock } = io.engine;
  const now = clock.now();
  // A lease that has expired is still there. One that was released is not.
  const holder = await store.leases.holder(runLease(run.id), 0);
  if (holder !== undefined && holder.until > now) return undefined;
  // With Redis, a worker holds the run only while it takes a step. A deployment takes a run that is free.
  const isTaken =
    io.checkRedis === undefined ? await io.isDeployed() : (await store.leases.holder(workersLease, now)) !== undefined;
  return isTaken ? undefined : { at: holder?.until };
}

function filesOf(run: Run, batches: readonly Batch[], { engine }: AppIo): RunWork['files'] {
  const settle = engine.syncs.get(run.sync)?.settings.settle;
  const out = batches.filter((batch) => batch.state === 'sent' && isFilePending(batch));
  if (settle === undefined || out.length === 0) return undefined;
  const sentAt = Math.max(...out.map((batch) => batch.sentAt ?? 0));
  return { count: out.length, untilMs: sentAt + spanOn(engine.clock, settle.deadlineMs) };
}
