import { type AlertChecks, openAlertChecks } from '../alerts/alert-checks.ts';
import { catchUpMs, oldestSuccess, untilCaughtUp } from '../alerts/freshness.ts';
import { type Alerts, openAlerts } from '../alerts/open-alerts.ts';
import type { Config } from '../config/config.ts';
import { openSchedule } from '../runtime/schedule.ts';
import type { Engine } from './open-engine.ts';
import { random } from './system.ts';

export type { AlertChecks } from '../alerts/alert-checks.ts';

/** Opens the alerts of a configuration. Before `freshFrom` (epoch ms), no sync is late. */
export function openConfigAlerts(config: Config, { io, connections, egress }: Engine, freshFrom = 0): Alerts {
  const { store, clock, logger, newId } = io;
  return openAlerts({
    channels: config.alerts,
    ...(egress === undefined ? {} : { egress }),
    syncs: Object.values(config.syncs).map(({ name, connection, freshnessMs, schedule }) => {
      const slots = schedule === undefined ? undefined : openSchedule(schedule.cron, schedule.timezone);
      const staleBefore = oldestSuccess({ freshnessMs, schedule: slots });
      return { name, connection, staleBefore, isExcused: untilCaughtUp(freshFrom) };
    }),
    connections: [...connections].map(([name, { tokenManager }]) => ({ name, token: () => tokenManager.status() })),
    store,
    clock,
    logger,
    newId,
    random,
  });
}

export function openConfigAlertChecks(config: Config, engine: Engine): AlertChecks {
  return openAlertChecks(openConfigAlerts(config, engine, engine.io.clock.now() + catchUpMs), engine.io);
}
