import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { AppIo, WatchOptions } from '../app/app-io.ts';
import { openChangeSearches } from '../app/changes/search-changes.ts';
import { keepNextSlots } from '../app/syncs.ts';
import { openSurveys } from '../app/try-source.ts';
import type { Config } from '../config/config.ts';
import { given } from '../core/run/given.ts';
import { onDemand } from '../core/run/on-demand.ts';
import { traceIdsOf } from '../core/run/run.ts';
import { deploymentLease } from '../ports/leases.ts';
import { openSight, type Sight } from '../watch/alerts/open-checks.ts';
import { type LogScope, openLogScope } from '../watch/logs/log-scope.ts';
import { deploymentLeaseMs } from '../work/deployment-lease.ts';
import { type DriveIo, driveRun } from '../work/drive-run.ts';
import { endOrphans } from '../work/orphans.ts';
import { openSchedules } from '../work/schedule.ts';
import { accessTo, type Engine, platformApiOf } from './engine.ts';
import { freshnessLimits } from './freshness.ts';

export interface AppParts {
  readonly scope?: LogScope;
  /** Reads the configuration again, and throws its problems. */
  readonly checkConfig?: () => Promise<unknown>;
  /** What this process saw before it opened the engine. */
  readonly sight?: Sight;
}

/** Opens what the use cases of the command line and the server need over an opened engine. Closing it closes the engine. */
export function openApp(
  config: Config,
  engine: Engine,
  { scope = openLogScope(), checkConfig = async () => config, sight = openSight() }: AppParts = {},
): AppIo {
  const { io, connections } = engine;
  const owner = `${hostname()}-${process.pid}-${randomBytes(3).toString('hex')}`;
  const driveIo = ({ progress, signal }: WatchOptions): DriveIo => ({
    engine: { ...io, progress },
    owner,
    signal,
    keepToken: async (connection) => {
      await connections.get(connection)?.tokenManager.current(AbortSignal.timeout(60_000));
    },
    runJob: (name, payload, context) =>
      traceJob({ name, payload }, engine, scope, async () =>
        (await import('../../jobs/index.ts')).runJob(name, payload, context),
      ),
  });
  const { redis } = config;
  const own = onDemand({
    alerts: async () => (await import('./alerts.ts')).openConfigAlerts(config, engine),
    slots: () => openSchedules(Object.values(config.syncs)),
    limits: () => freshnessLimits(config),
    people: async () => (await import('../app/people.ts')).openPeopleSearches(io),
  });
  const parts = onDemand<Pick<AppIo, 'changes' | 'surveys'>>({
    changes: () => openChangeSearches(io),
    surveys: () => openSurveys(() => app),
  });
  const rest: Omit<AppIo, keyof typeof parts> = {
    engine: io,
    configPath: config.path,
    plainText: config.plainText,
    syncs: Object.values(config.syncs).map(({ name, connection, schedule, policy }) => ({
      name,
      connection,
      policy,
      schedule: schedule === undefined ? undefined : `${schedule.cron} (${schedule.timezone})`,
    })),
    connections: new Map([...connections].map(([name, connection]) => [name, accessTo(connection)])),
    nextSlot: keepNextSlots((sync, after) => own.slots.get(sync)?.nextSlot(after)),
    staleBefore: (sync, now) => own.limits.get(sync)?.(now),
    isDeployed: async () => (await io.store.leases.holder(deploymentLease, io.clock.now())) !== undefined,
    async deploymentSeenAt() {
      const holder = await io.store.leases.holder(deploymentLease, 0);
      return holder === undefined ? undefined : holder.until - deploymentLeaseMs;
    },
    drive: (run, options) => driveRun(run, driveIo(options)),
    endOrphans: (signal) => endOrphans(driveIo({ signal, progress: () => {} }), app.isDeployed),
    // Without channels, nothing is evaluated.
    searchPeople: async (query) => (await own.people)(query),
    checkAlerts: async (signal) => {
      if (config.alerts.length === 0) return;
      const { checkOnce } = await import('../watch/alerts/open-alerts.ts');
      await checkOnce(await own.alerts, io.logger, signal);
    },
    ...(redis === undefined
      ? {}
      : // The queue is loaded only where it is used.
        { checkRedis: async () => (await import('./redis.ts')).checkRedis(redis, io.clock) }),
    pageUrl: pageUrlOf(config),
    alerts: {
      report: async (limit) => (await own.alerts).report(limit),
      quiet: async (name, order) => (await own.alerts).quiet(name, order),
      test: async (only, signal) => (await own.alerts).test(only, signal),
    },
    platformApi: platformApiOf(connections),
    start: async (options) =>
      (await import('./deployment.ts')).startDeployment(
        { config, engine, app, openDrive: driveIo, checkConfig, sight },
        options,
      ),
    close: () => engine.close(),
  };
  const app: AppIo = Object.assign(parts, rest);
  return app;
}

function pageUrlOf({ server }: Config): string | undefined {
  if (server === undefined) return undefined;
  const { publicUrl, host, port } = server;
  return publicUrl ?? (port === 0 ? undefined : `http://${host}:${port}`);
}

/**
 * Does a job of the job table. Its log lines name its run. With telemetry it is a span of the trace of its run, its log
 * lines name that trace, and the job that ends the run sends the span of the whole run.
 */
async function traceJob<Result>(
  { name, payload }: { readonly name: string; readonly payload: unknown },
  { tracing, io }: Pick<Engine, 'tracing' | 'io'>,
  scope: LogScope,
  work: () => Promise<Result>,
): Promise<Result> {
  const run = typeof payload === 'object' && payload !== null && 'run' in payload ? payload.run : undefined;
  const id = typeof run === 'string' ? run : undefined;
  if (tracing === undefined) return scope.during(id === undefined ? {} : { run: id }, work);
  if (id === undefined) return tracing.during({ name }, work);
  const { runs, triggers } = io.store;
  const before = await runs.get(id);
  return scope.during({ run: id, trace_id: traceIdsOf(id).trace }, async () => {
    const result = await tracing.during({ name, ...given({ run: before }) }, work);
    const after = before === undefined || before.endedAt !== undefined ? undefined : await runs.get(id);
    if (after?.endedAt !== undefined) tracing.runEnded(after, await triggers.requestedAt(id));
    return result;
  });
}
