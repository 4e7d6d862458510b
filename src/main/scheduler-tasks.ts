import { schedulerJobs, workerJobs } from '../../jobs/index.ts';
import type { Config } from '../config/config.ts';
import type { DriveIo } from '../runtime/in-process/drive-run.ts';
import { openOrphans } from '../runtime/orphans.ts';
import type { Dispatch, Task } from '../runtime/scheduler.ts';
import { triggerSlots } from '../runtime/trigger-slots.ts';
import type { Engine } from './open-engine.ts';
import type { AlertChecks } from './watch-alerts.ts';

/** Everything that a scheduler does, with and without Redis, in the order of one tick. */
export function schedulerTasks(
  config: Config,
  engine: Engine,
  { drive, dispatch, alerts }: { readonly drive: DriveIo; readonly dispatch: Dispatch; readonly alerts: AlertChecks },
): Task[] {
  const { io } = engine;
  const { start, resume, enqueue } = dispatch;
  const scheduled = Object.values(config.syncs).flatMap(({ name, schedule }) =>
    schedule === undefined ? [] : [{ name, schedule }],
  );
  const closeOrphan = openOrphans(drive);
  const { 'open-runs': openRuns, 'open-previews': openPreviews, recover } = schedulerJobs;
  const { 'keep-token': keepToken, prune } = workerJobs;
  return [
    triggerSlots(scheduled, io),
    { name: openRuns.name, everyMs: openRuns.everyMs, run: () => openRuns.run({}, { engine: io, start }) },
    {
      name: openPreviews.name,
      everyMs: openPreviews.everyMs,
      run: () => openPreviews.run({}, { engine: io, make: (preview) => enqueue('make-preview', { preview }) }),
    },
    {
      name: recover.name,
      everyMs: recover.everyMs,
      run: () => recover.run({}, { engine: io, resume, closeOrphan }),
    },
    ...[...engine.connections.keys()].map((connection) => ({
      name: keepToken.name,
      everyMs: keepToken.everyMs,
      run: () => enqueue('keep-token', { connection }),
    })),
    { name: prune.name, everyMs: prune.everyMs, run: () => enqueue('prune', {}) },
    { name: 'alerts', everyMs: 1000, run: () => alerts.begin(drive.signal) },
  ];
}
