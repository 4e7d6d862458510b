import { randomInt } from 'node:crypto';
import { type AlertLooks, openAlertChecks } from '../alerts/alert-checks.ts';
import { catchUpMs, oldestSuccess, untilCaughtUp } from '../alerts/freshness.ts';
import { type Alerts, openAlerts } from '../alerts/open-alerts.ts';
import type { Config } from '../config/config.ts';
import { openSchedule } from '../runtime/schedule.ts';
import type { Engine } from './open-engine.ts';

export type { AlertLooks } from '../alerts/alert-checks.ts';

/** Alerts of a configuration over an opened engine. `freshFrom`: until then no success is missed, nor for a while after a pause. */
export function openConfigAlerts(config: Config, { io, connections }: Engine, freshFrom = 0): Alerts {
  const { store, clock, logger, newId } = io;
  return openAlerts({
    channels: config.alerts,
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
    random: () => randomInt(2 ** 32) / 2 ** 32,
  });
}

export function openAlertLooks(config: Config, engine: Engine): AlertLooks {
  return openAlertChecks(openConfigAlerts(config, engine, engine.io.clock.now() + catchUpMs), engine.io);
}
