import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { readLeavers } from '../app/person/leavers.ts';
import { keepNextSlots } from '../app/syncs.ts';
import type { Config } from '../config/config.ts';
import { given } from '../core/run/given.ts';
import { defaultLeaverTarget } from '../core/run/settings.ts';
import { randomShare } from '../platform/client/defaults.ts';
import { type Alerts, openAlerts } from '../watch/alerts/open-alerts.ts';
import { type AlertChecks, openAlertChecks, type Sight } from '../watch/alerts/open-checks.ts';
import { commandPrefixOf } from '../watch/alerts/pod-commands.ts';
import type { WatchedWork } from '../watch/alerts/topics.ts';
import { openSchedules } from '../work/schedule.ts';
import type { Engine } from './engine.ts';
import { freshnessLimits } from './freshness.ts';
import { watchedReports } from './mailed-reports.ts';

export function openConfigAlerts(
  config: Config,
  { io, connections, egress, tracing }: Engine,
  work?: WatchedWork,
): Alerts {
  const { store, clock, logger, newId } = io;
  const limits = freshnessLimits(config);
  const slots = openSchedules(Object.values(config.syncs));
  const nextSlot = keepNextSlots((sync, after) => slots.get(sync)?.nextSlot(after));
  return openAlerts({
    channels: config.alerts,
    place: {
      deployment: config.deployment,
      publicUrl: config.server?.publicUrl,
      ...given({
        commandPrefix: config.commandPrefix ?? commandPrefixOf(config.deployment),
        // Notices name traces when this process sends some, or when there is an address for them.
        trace: tracing === undefined && config.traceUrl === undefined ? undefined : { url: config.traceUrl },
      }),
    },
    ...given({ egress, work }),
    syncs: Object.values(config.syncs).map(({ name, connection, freeze, leavers = defaultLeaverTarget }) => {
      const staleBefore = (now: number) => limits.get(name)?.(now);
      const isLong = (freeze?.forMs ?? 0) > leavers.withinMs;
      const watched = {
        target: leavers,
        read: () => readLeavers(name, io, { nextSlot, hasWorkers: config.redis !== undefined }),
        frozenUntil: (now: number) => (isLong ? io.syncs.get(name)?.frozenUntil?.(now) : undefined),
      };
      return { name, connection, staleBefore, leavers: watched };
    }),
    connections: [...connections].map(([name, { tokenManager }]) => {
      return { name, token: tokenManager.status, reports: watchedReports(config, name) };
    }),
    ...{ store, clock, logger, newId, random: randomShare },
  });
}

/** Opens the checks of a process of `rollcall start`. `queue`: with Redis. */
export function openConfigAlertChecks(
  config: Config,
  engine: Engine,
  { queue, sight }: { readonly queue: Parameters<typeof openAlertChecks>[1]['queue']; readonly sight: Sight },
): AlertChecks {
  const hasSchedules = [config.syncs, config.reports]
    .flatMap((some) => Object.values<{ schedule?: unknown }>(some))
    .some(({ schedule }) => schedule !== undefined);
  const alerts = openConfigAlerts(config, engine, { hasSchedules, hasWorkers: config.redis !== undefined });
  // In a container each process has a host of its own.
  const name = process.pid === 1 ? hostname() : `${hostname()}/${process.pid}`;
  return openAlertChecks(alerts, { ...engine.io, process: name, configuration: digestOf(config), sight, queue });
}

/** Covers what the judge watches: a role may have a server or workers of its own. A secret writes itself without its value. */
function digestOf({ connections, syncs, reports, alerts }: Config): string {
  const watched = JSON.stringify({ connections, syncs, reports, alerts });
  return createHash('sha256').update(watched).digest('base64url').slice(0, 8);
}
