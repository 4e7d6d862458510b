import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { runJob } from '../../jobs/index.ts';
import type { AppIo, WatchOptions } from '../app/app-io.ts';
import { openChangeSearches } from '../app/changes/search-changes.ts';
import { openPeopleSearches } from '../app/people/search-people.ts';
import { keepNextSlots } from '../app/sync-states.ts';
import type { Config } from '../config/config.ts';
import { deploymentLease } from '../ports/leases.ts';
import { checkOnce } from '../watch/alerts/alert-checks.ts';
import { oldestSuccess } from '../watch/alerts/freshness.ts';
import { type LogScope, openLogScope } from '../watch/logs/log-scope.ts';
import { deploymentLeaseMs } from '../work/deployment-lease.ts';
import { type DriveIo, driveRun } from '../work/in-process/drive-run.ts';
import { openSchedule } from '../work/schedule.ts';
import { accessTo, platformApiOf } from './open-connection.ts';
import type { Engine } from './open-engine.ts';
import { startDeployment } from './start-deployment.ts';
import { traceJob } from './trace-job.ts';
import { openConfigAlerts } from './watch-alerts.ts';

export interface AppParts {
  readonly scope?: LogScope;
  /** Reads the configuration again, and throws its problems. */
  readonly checkConfig?: () => Promise<unknown>;
}

/** Opens what the use cases of the command line and the server need over an opened engine. Closing it closes the engine. */
export function openApp(
  config: Config,
  engine: Engine,
  { scope = openLogScope(), checkConfig = async () => config }: AppParts = {},
): AppIo {
  const { io, connections } = engine;
  const owner = `${hostname()}-${process.pid}-${randomBytes(3).toString('hex')}`;
  const alerts = openConfigAlerts(config, engine);
  const driveIo = ({ progress, signal }: WatchOptions): DriveIo => ({
    engine: { ...io, progress },
    owner,
    signal,
    keepToken: async (connection) => {
      await connections.get(connection)?.tokenManager.current(AbortSignal.timeout(60_000));
    },
    runJob: (name, payload, context) =>
      traceJob({ name, payload }, engine, scope, () => runJob(name, payload, context)),
  });
  const { redis } = config;
  const app: AppIo = {
    engine: io,
    configPath: config.path,
    syncs: Object.values(config.syncs).map(({ name, connection, schedule, policy }) => ({
      name,
      connection,
      policy,
      schedule: schedule === undefined ? undefined : `${schedule.cron} (${schedule.timezone})`,
    })),
    connections: new Map([...connections].map(([name, connection]) => [name, accessTo(connection)])),
    nextSlot: nextSlots(config),
    staleBefore: staleInstants(config),
    isDeployed: async () => (await io.store.leases.holder(deploymentLease, io.clock.now())) !== undefined,
    async deploymentSeenAt() {
      const holder = await io.store.leases.holder(deploymentLease, 0);
      return holder === undefined ? undefined : holder.until - deploymentLeaseMs;
    },
    drive: (run, options) => driveRun(run, driveIo(options)),
    checkAlerts: (signal) => checkOnce(alerts, io.logger, signal),
    ...(redis === undefined
      ? {}
      : // The queue is loaded only where it is used.
        { checkRedis: async () => (await import('./check-redis.ts')).checkRedis(redis, io.clock) }),
    pageUrl: pageUrlOf(config),
    alerts,
    platformApi: platformApiOf(connections),
    changes: openChangeSearches(io),
    searchPeople: openPeopleSearches(io),
    start: (options) => startDeployment({ config, engine, app, openDrive: driveIo, checkConfig }, options),
    close: () => engine.close(),
  };
  return app;
}

function pageUrlOf({ server }: Config): string | undefined {
  if (server === undefined) return undefined;
  const { publicUrl, host, port } = server;
  return publicUrl ?? (port === 0 ? undefined : `http://${host}:${port}`);
}

function staleInstants(config: Config): AppIo['staleBefore'] {
  const limits = new Map(
    Object.values(config.syncs).map(({ name, schedule, freshnessMs }) => {
      const slots = schedule === undefined ? undefined : openSchedule(schedule.cron, schedule.timezone);
      return [name, oldestSuccess({ freshnessMs, schedule: slots })] as const;
    }),
  );
  return (sync, now) => limits.get(sync)?.(now);
}

function nextSlots(config: Config): AppIo['nextSlot'] {
  const schedules = new Map(
    Object.values(config.syncs).flatMap(({ name, schedule }) =>
      schedule === undefined ? [] : [[name, openSchedule(schedule.cron, schedule.timezone)] as const],
    ),
  );
  return keepNextSlots((sync, after) => schedules.get(sync)?.nextSlot(after));
}
