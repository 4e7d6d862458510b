import type { Config } from '../config/config.ts';
import type { SchedulerContext } from '../run/work.ts';
import type { DriveIo } from '../work/in-process/drive-run.ts';
import { openCalendars } from '../work/open-calendars.ts';
import { openOrphans } from '../work/orphans.ts';
import type { Dispatch } from '../work/scheduler.ts';
import type { Engine } from './open-engine.ts';
import type { AlertChecks } from './watch-alerts.ts';

/** Everything that the scheduler's work needs, with and without Redis. */
export function schedulerContext(
  config: Config,
  { io, connections }: Engine,
  { drive, dispatch, alerts }: { readonly drive: DriveIo; readonly dispatch: Dispatch; readonly alerts: AlertChecks },
): SchedulerContext {
  const scheduled = Object.values(config.syncs).flatMap(({ name, schedule }) =>
    schedule === undefined ? [] : [{ name, schedule }],
  );
  return {
    ...dispatch,
    engine: io,
    connections: [...connections.keys()],
    calendars: openCalendars(scheduled, io),
    closeOrphan: openOrphans(drive),
    evaluateAlerts: () => alerts.begin(drive.signal),
  };
}
