import type { ScheduledTask } from '../../jobs/define-task.ts';
import { schedulerTasks as tasks, workerJobs } from '../../jobs/index.ts';
import type { Config } from '../config/config.ts';
import type { DriveIo } from '../work/in-process/drive-run.ts';
import { openCalendars } from '../work/open-calendars.ts';
import { openOrphans } from '../work/orphans.ts';
import type { Dispatch, Task } from '../work/scheduler.ts';
import type { Engine } from './open-engine.ts';
import type { AlertChecks } from './watch-alerts.ts';

/** Everything that a scheduler does, with and without Redis, in the order of one tick. */
export function schedulerTasks(
  config: Config,
  { io, connections }: Engine,
  { drive, dispatch, alerts }: { readonly drive: DriveIo; readonly dispatch: Dispatch; readonly alerts: AlertChecks },
): Task[] {
  const { start, resume, enqueue } = dispatch;
  const scheduled = Object.values(config.syncs).flatMap(({ name, schedule }) =>
    schedule === undefined ? [] : [{ name, schedule }],
  );
  const { 'keep-token': keepToken, prune } = workerJobs;
  return [
    bind(tasks.requestDueRuns, { engine: io, calendars: openCalendars(scheduled, io) }),
    bind(tasks.openRuns, { engine: io, start }),
    bind(tasks.openPreviews, { engine: io, make: (preview) => enqueue('make-preview', { preview }) }),
    bind(tasks.recover, { engine: io, resume, closeOrphan: openOrphans(drive) }),
    ...[...connections.keys()].map((connection) => ({
      ...keepToken,
      run: () => enqueue('keep-token', { connection }),
    })),
    { ...prune, run: () => enqueue('prune', {}) },
    bind(tasks.evaluateAlerts, { begin: () => alerts.begin(drive.signal) }),
  ];
}

function bind<Context>(task: ScheduledTask<Context>, context: Context): Task {
  return { ...task, run: () => task.run(context) };
}
