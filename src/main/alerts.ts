import { readLeavers } from '../app/person/leavers.ts';
import { keepNextSlots } from '../app/syncs.ts';
import type { Config } from '../config/config.ts';
import { given } from '../core/run/given.ts';
import { defaultLeaverTarget } from '../core/run/settings.ts';
import { randomShare } from '../platform/client/defaults.ts';
import { deploymentLease, workersLease } from '../ports/leases.ts';
import { catchUpMs, untilCaughtUp } from '../watch/alerts/freshness.ts';
import type { ProcessMemory } from '../watch/alerts/judge-service.ts';
import { type AlertChecks, type Alerts, openAlertChecks, openAlerts } from '../watch/alerts/open-alerts.ts';
import { commandPrefixOf } from '../watch/alerts/pod-commands.ts';
import type { Place } from '../watch/alerts/render-notice.ts';
import type { WatchedWork } from '../watch/alerts/topics.ts';
import { openSchedules } from '../work/schedule.ts';
import type { Engine } from './engine.ts';
import { freshnessLimits } from './freshness.ts';
import { watchedReports } from './mailed-reports.ts';

/** What only the processes of `rollcall start` evaluate. */
interface Standing {
  /** Before this instant (epoch ms), no sync is late. */
  readonly freshFrom: number;
  readonly work: WatchedWork;
}

export function openConfigAlerts(
  config: Config,
  { io, connections, egress, tracing }: Engine,
  standing?: Standing,
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
      ...given({ commandPrefix: config.commandPrefix ?? commandPrefixOf(config.deployment) }),
      ...traceOf(config, tracing),
    },
    ...(egress === undefined ? {} : { egress }),
    syncs: Object.values(config.syncs).map(({ name, connection, freeze, leavers = defaultLeaverTarget }) => {
      const staleBefore = (now: number) => limits.get(name)?.(now);
      const isLong = (freeze?.forMs ?? 0) > leavers.withinMs;
      const watched = {
        target: leavers,
        read: () => readLeavers(name, io, { nextSlot, hasWorkers: config.redis !== undefined }),
        frozenUntil: (now: number) => (isLong ? io.syncs.get(name)?.frozenUntil?.(now) : undefined),
      };
      const isExcused = untilCaughtUp(standing?.freshFrom ?? 0, () => clock.jumps?.() ?? []);
      return { name, connection, staleBefore, isExcused, leavers: watched };
    }),
    connections: [...connections].map(([name, { tokenManager }]) => {
      return { name, token: () => tokenManager.status(), reports: watchedReports(config, name) };
    }),
    ...(standing === undefined ? {} : { work: standing.work }),
    store,
    clock,
    logger,
    newId,
    random: randomShare,
  });
}

/** Notices name traces when this process sends some, or when there is an address for them. */
function traceOf({ traceUrl }: Config, tracing: Engine['tracing']): Pick<Place, 'trace'> {
  return tracing === undefined && traceUrl === undefined ? {} : { trace: { url: traceUrl } };
}

/** Opens the alerts of a process of `rollcall start`. `queue`: of a scheduler with Redis. */
export function openConfigAlertChecks(
  config: Config,
  engine: Engine,
  { queue, memory }: { readonly queue?: WatchedWork['queue']; readonly memory: ProcessMemory },
): AlertChecks {
  const { store, clock } = engine.io;
  const isHeld = async (lease: string) => (await store.leases.holder(lease, clock.now())) !== undefined;
  const work: WatchedWork = {
    hasSchedules: [config.syncs, config.reports]
      .flatMap((some) => Object.values<{ schedule?: unknown }>(some))
      .some(({ schedule }) => schedule !== undefined),
    isScheduled: () => isHeld(deploymentLease),
    isWorked: config.redis === undefined ? undefined : () => isHeld(workersLease),
    queue,
    refusedReload: () => memory.refusedReload,
  };
  const alerts = openConfigAlerts(config, engine, { freshFrom: clock.now() + catchUpMs, work });
  return openAlertChecks(alerts, engine.io, memory);
}
