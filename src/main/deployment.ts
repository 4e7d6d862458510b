import { runJob, schedulerWork } from '../../jobs/index.ts';
import { openPreviews } from '../../jobs/open-previews.ts';
import type { AppIo, Role, WaitForStore } from '../app/app-io.ts';
import type { Config } from '../config/config.ts';
import { ConfigError, renderProblem } from '../config/report.ts';
import type { ServerConfig } from '../config/sections/server.ts';
import { isLoopback } from '../core/run/addresses.ts';
import { conflict, describeError, RollcallError, usageError } from '../core/run/errors.ts';
import { given } from '../core/run/given.ts';
import { openFetch } from '../drivers/http/sockets.ts';
import { readVersion } from '../drivers/http/version.ts';
import { deploymentLease } from '../ports/leases.ts';
import type { Logger } from '../ports/runtime.ts';
import type { SchedulerContext } from '../run/work.ts';
import type { HealthParts, OpenApiDocument, RunningServer, ServerParts, Vitals } from '../server/server-parts.ts';
import type { OpenIdSettings, ServerSettings } from '../server/settings.ts';
import { type Sight, watchUntil } from '../watch/alerts/open-checks.ts';
import type { OpenedMetrics } from '../watch/metrics/metrics.ts';
import {
  deploymentLeaseMs,
  type LeasedWork,
  refuseBesideWorkers,
  untilAborted,
  workUnderLease,
} from '../work/deployment-lease.ts';
import { type DriveIo, runlessContext } from '../work/drive-run.ts';
import { type Heartbeat, openHeartbeat } from '../work/liveness.ts';
import { openOrphans } from '../work/orphans.ts';
import { openCalendars } from '../work/schedule.ts';
import { type Dispatch, openLocalDispatch, runScheduler } from '../work/scheduler.ts';
import { openConfigAlertChecks } from './alerts.ts';
import type { Engine, EngineParts } from './engine.ts';
import { dueReports } from './mailed-reports.ts';
import type { RedisWatch } from './redis.ts';

/**
 * Runs `rollcall start` without Redis: the scheduler and all work in this process. The store is the source of truth, so
 * a `resync` or an `approve` from another shell takes effect within a second. Returns when the signal aborts and every
 * run is at a safe place. Throws CONFLICT when another process works on the same store, also a worker with Redis. Waits for the lease of a dead
 * process to expire. When the store is unavailable for longer than the lease lasts, waits for the store and continues.
 */
export async function runDeployment(
  config: Config,
  engine: Engine,
  given: DriveIo,
  // `onTick`: called after each tick of the scheduler.
  { onReady, onTick = () => {} }: { readonly onReady: () => void; readonly onTick?: () => void },
): Promise<void> {
  const { clock, logger, store } = engine.io;
  const onError = (error: unknown, task: string): void =>
    logger.error({ task, error: describeError(error) }, 'task failed');
  const request = { name: deploymentLease, owner: given.owner, ttlMs: deploymentLeaseMs };
  const work: LeasedWork = {
    onReady,
    // The process is well: a restart does not bring the store back.
    onWait: onTick,
    async run(signal) {
      const drive: DriveIo = { ...given, signal };
      const dispatch = openLocalDispatch(drive, (job, payload) => runJob(job, payload, runlessContext(drive)));
      try {
        const context = schedulerContext(config, engine, { drive, dispatch });
        await runScheduler(schedulerWork, context, { clock, signal, onTick, onError });
      } finally {
        await dispatch.close();
      }
    },
    conflict: () =>
      conflict('another "rollcall start" uses this store. Without Redis, only one may run: stop the other one first'),
  };
  try {
    await refuseBesideWorkers(engine.io, given.signal);
  } catch (error) {
    if (given.signal.aborted) return;
    throw error;
  }
  await workUnderLease(request, work, { leases: store.leases, clock, logger }, given.signal);
}

/** Everything that the scheduler's work needs, with and without Redis. */
export function schedulerContext(
  config: Config,
  { io, connections }: Engine,
  { drive, dispatch }: { readonly drive: DriveIo; readonly dispatch: Dispatch },
): SchedulerContext {
  const scheduled = Object.values(config.syncs).flatMap(({ name, schedule }) =>
    schedule === undefined ? [] : [{ name, schedule }],
  );
  return {
    ...dispatch,
    engine: io,
    connections: [...connections.keys()],
    calendars: openCalendars(scheduled, io),
    reports: dueReports(config, io),
    closeOrphan: openOrphans(drive),
  };
}

type StartOptions = Parameters<AppIo['start']>[0];

interface DeploymentParts {
  readonly config: Config;
  readonly engine: Engine;
  readonly app: AppIo;
  readonly openDrive: (options: StartOptions) => DriveIo;
  /** Reads the configuration again, and throws its problems. */
  readonly checkConfig: () => Promise<unknown>;
  readonly sight: Sight;
}

/** Runs `rollcall start` until the signal aborts, or until the configuration is to be opened again. */
export function startDeployment(parts: DeploymentParts, options: StartOptions): Promise<'stopped' | 'reload'> {
  const { signal, onHangup } = options;
  const { checkConfig, engine, sight } = parts;
  const { clock, logger } = engine.io;
  const onRefused = (problems: readonly string[]): void => {
    sight.refusedReload = { at: clock.now(), problems };
  };
  return workUntilReload({ signal, onHangup, checkConfig, logger, onRefused }, (until) =>
    runRole(parts, { ...options, signal: until }),
  );
}

/** The work of the role, and the server if there is one. Returns after the signal aborts. */
async function runRole(parts: DeploymentParts, options: StartOptions): Promise<void> {
  const { config, engine, app, sight } = parts;
  const { role = 'all', listen, onReady, onListening, onSignInLink, setUp } = options;
  refuseRole(config, options);
  const { clock, logger } = engine.io;
  const heartbeat = openHeartbeat(clock);
  const isServed = config.server !== undefined || listen !== undefined;
  const isWatched = isServed || engine.tracing !== undefined;
  const watch = config.redis && (await import('./redis.ts')).watchRedis(config.redis, engine.io);
  const metrics = isWatched ? await openProcessMetrics(config, engine, { queue: watch?.depth, sight }) : undefined;
  let isStarted = false;
  try {
    const server =
      metrics &&
      (await serve(config, engine, {
        role,
        listen,
        vitals: { workedAt: heartbeat.workedAt, isStarted: () => isStarted },
        redisFault: watch?.fault,
        metrics,
        app,
        onSignInLink,
        setUp,
      }));
    if (server !== undefined) {
      const signIn = role === 'all' || role === 'server' ? signInWords(config, listen?.host) : '';
      logger.info({ url: server.url, serves: role, ...(signIn === '' ? {} : { signIn }) }, 'listening');
      onListening?.(server.url, signIn);
    }
    const ready = (): void => {
      isStarted = true;
      for (const message of config.plainText) logger.warn({}, message);
      logger.info({ role, syncs: engine.io.syncs.size }, 'ready');
      onReady();
    };
    const worked = (signal: AbortSignal) => work(parts, { ...options, role, signal, onReady: ready }, heartbeat, watch);
    if (server === undefined) await worked(options.signal);
    else {
      // The web server is loaded only where it is used.
      const { workBesideServer } = await import('../server/open-server.ts');
      await workBesideServer(server, options.signal, worked);
    }
  } finally {
    await metrics?.close();
    await watch?.close();
  }
}

/** Works, and looks at the alerts beside it, until the signal aborts. */
async function work(
  parts: DeploymentParts,
  options: StartOptions,
  heartbeat: Heartbeat,
  watch: RedisWatch | undefined,
): Promise<void> {
  const { config, engine, sight } = parts;
  const { role = 'all', signal } = options;
  if (options.setUp !== undefined) return makePreviews(engine, parts.openDrive(options), options.onReady);
  const over = new AbortController();
  const until = AbortSignal.any([signal, over.signal]);
  const checks = openConfigAlertChecks(config, engine, { queue: watch?.depth, sight });
  const beside = [
    watchUntil(checks, engine.io.clock, until),
    ...(watch === undefined || role === 'scheduler' || role === 'server'
      ? []
      : [heartbeat.watchWorker(watch.waiting, until)]),
  ];
  try {
    await workAs(role, parts, options, heartbeat);
  } finally {
    over.abort(new RollcallError('the work has ended', { code: 'CANCELLED' }));
    await Promise.all(beside);
  }
}

async function workAs(
  role: Role,
  { config, engine, openDrive }: DeploymentParts,
  options: StartOptions,
  heartbeat: Heartbeat,
): Promise<void> {
  const { redis } = config;
  const { onReady, signal } = options;
  if (role === 'server') {
    onReady();
    return untilAborted(signal);
  }
  const drive = openDrive(options);
  // From now on, a missing tick is a fault.
  if (role !== 'worker') heartbeat.ticked();
  if (redis === undefined) return runDeployment(config, engine, drive, { onReady, onTick: heartbeat.ticked });
  const { runRedisDeployment } = await import('./redis.ts');
  await runRedisDeployment(engine, heartbeat.follow(drive), {
    ...{ redis, role, onReady, workers: config.workers, onTick: heartbeat.ticked },
    contextOf: (dispatch) => schedulerContext(config, engine, { drive, dispatch }),
  });
}

/** Makes the plans that a set-up asks for, and nothing else. */
async function makePreviews({ io }: Engine, drive: DriveIo, onReady: () => void): Promise<void> {
  const { clock, logger } = io;
  const { signal } = drive;
  const dispatch = openLocalDispatch(drive, (job, payload) => runJob(job, payload, runlessContext(drive)));
  const onError = (error: unknown): void => logger.error({ error: describeError(error) }, 'a plan failed');
  onReady();
  try {
    await runScheduler([openPreviews], { engine: io, ...dispatch }, { clock, signal, onTick: () => {}, onError });
  } finally {
    await dispatch.close();
  }
}

function refuseRole({ redis, server }: Config, { role = 'all', listen }: StartOptions): void {
  if (redis === undefined && (role === 'scheduler' || role === 'worker')) {
    const message = `--role ${role} needs "redis" in the configuration, because processes share work through Redis: set it, or omit --role`;
    throw usageError(message);
  }
  if (role === 'server' && server === undefined && listen === undefined) {
    const message = '--role server needs "server" in the configuration, with an address and tokens';
    throw usageError(message);
  }
}

interface ReloadIo {
  readonly signal: AbortSignal;
  /** Calls the listener at each SIGHUP, until the returned function is called. */
  readonly onHangup: ((listener: () => void) => () => void) | undefined;
  /** Reads the configuration again. Throws `ConfigError` with every problem, and changes nothing. */
  readonly checkConfig: () => Promise<unknown>;
  readonly logger: Logger;
  readonly onRefused: (problems: readonly string[]) => void;
}

/**
 * Works until the signal aborts, or until a SIGHUP finds a configuration without a problem: then the work stops at its next
 * safe point, as for SIGTERM, and the result is `reload`. A configuration with a problem is logged, and the work continues
 * with the one it has.
 */
async function workUntilReload(
  { signal, onHangup, checkConfig, logger, onRefused }: ReloadIo,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<'stopped' | 'reload'> {
  const reloading = new AbortController();
  const reload = async (): Promise<void> => {
    try {
      await checkConfig();
      logger.info(
        {},
        'SIGHUP: reading the configuration again; runs in progress stop at a safe point and continue with it',
      );
      reloading.abort(new RollcallError('the configuration was read again', { code: 'CANCELLED' }));
    } catch (error) {
      const problems = error instanceof ConfigError ? error.problems.map(renderProblem) : [describeError(error)];
      onRefused(problems);
      logger.error(
        { problems },
        'SIGHUP: the configuration has problems, so this process continues with the one it has',
      );
    }
  };
  const forget = onHangup?.(() => void reload());
  try {
    await work(AbortSignal.any([signal, reloading.signal]));
  } finally {
    forget?.();
  }
  return reloading.signal.aborted && !signal.aborted ? 'reload' : 'stopped';
}

interface ServeOptions {
  readonly role: Role;
  readonly listen: { readonly host?: string; readonly port?: number } | undefined;
  readonly vitals: Pick<Vitals, 'workedAt' | 'isStarted'>;
  /** Returns why Redis cannot be used, if so; undefined without Redis. */
  readonly redisFault: (() => Promise<string | undefined>) | undefined;
  readonly metrics: OpenedMetrics;
  readonly app: AppIo;
  readonly onSignInLink: StartOptions['onSignInLink'];
  readonly setUp: StartOptions['setUp'];
}

/**
 * Opens the server that the configuration or `listen` names, if any. A scheduler or worker serves its health only, and
 * continues without a server when its port is in use.
 */
async function serve(config: Config, engine: Engine, options: ServeOptions): Promise<RunningServer | undefined> {
  const { role, listen, vitals, redisFault, metrics, app, onSignInLink, setUp } = options;
  // A set-up has an address and a sign-in of its own, on this machine.
  const server = setUp === undefined ? config.server : undefined;
  if (server === undefined && listen === undefined) return undefined;
  const worksOnly = role === 'scheduler' || role === 'worker';
  // The web server and its pages are loaded only where they are used.
  const { renderDocsPage } = await import('../sandbox/docs/render-docs-page.ts');
  const { clock, logger, newId, store } = engine.io;
  const needs = async () => {
    const fault = await store.fault(clock.now());
    // Requests are rows of the store: the role server takes them while Redis is unavailable.
    const redis = redisFault === undefined || role === 'server' ? [] : [{ name: 'redis', fault: await redisFault() }];
    return [{ name: 'store', fault }, ...redis];
  };
  const parts = {
    ...{ app, store, clock, logger, newId, version: readVersion() },
    vitals: { ...vitals, needs },
    renderDocs: (document: OpenApiDocument) => renderDocsPage(document, { accessToken: '' }),
    fetch: openFetch(engine.egress),
    ...given({ onSignInLink, setUp }),
  };
  const own = setUp && { signInLink: 'operator' as const, home: `/syncs/${encodeURIComponent(setUp.sync)}/set-up` };
  const settings = { ...settingsOf(server, listen, worksOnly ? 'health' : 'everything'), ...own };
  try {
    return await openServers({ ...parts, settings, metrics }, server?.metricsPort);
  } catch (error) {
    if (!worksOnly || listen !== undefined) throw error;
    const why = describeError(error);
    logger.warn({ error: why }, 'this process does not serve its health. Set a separate port for it with --port');
    return undefined;
  }
}

/** Opens the server, and one beside it where the metrics have a port of their own. */
async function openServers(
  { metrics, ...parts }: HealthParts | ServerParts,
  metricsPort: number | undefined,
): Promise<RunningServer> {
  const { openServer } = await import('../server/open-server.ts');
  if (metricsPort === undefined || metrics === undefined) return openServer({ ...parts, ...given({ metrics }) });
  const own = { ...parts.settings, port: metricsPort, serves: 'metrics' } as const;
  const beside = await openServer({ ...parts, settings: own, metrics });
  const main = await openServer(parts).catch(async (error: unknown) => {
    await beside.close();
    throw error;
  });
  return { url: main.url, close: async () => void (await Promise.all([main.close(), beside.close()])) };
}

/** Serves the health of a process that waits for its store. It has started, so a restart would not help. */
export async function serveWaiting(
  { server }: Config,
  fault: () => string | undefined,
  { clock, logger, newId, listen }: Pick<WaitForStore, 'listen'> & Pick<EngineParts, 'clock' | 'logger' | 'newId'>,
): Promise<() => Promise<void>> {
  if (server === undefined && listen === undefined) return async () => {};
  const needs = async () => [{ name: 'store', fault: fault() }];
  const vitals = { workedAt: () => undefined, isStarted: () => true, needs };
  const render = async () => `rollcall_info{version="${readVersion()}"} 1\nrollcall_store_up 0\n`;
  const metrics = { contentType: 'text/plain; version=0.0.4', render };
  const settings = settingsOf(server, listen, 'health');
  const parts = { settings, vitals, clock, logger, newId, metrics };
  const serving = await openServers(parts, server?.metricsPort).catch((error: unknown) => {
    logger.warn({ error: describeError(error) }, 'this process does not serve its health while it waits for its store');
    return undefined;
  });
  if (serving !== undefined) logger.info({ url: serving.url, serves: 'health' }, 'listening');
  return async () => serving?.close();
}

/** Says how to sign in to the page. A link that signs in is a secret, so no log has it. */
function signInWords({ server }: Config, host = server?.host ?? '127.0.0.1'): string {
  const ways = [
    ...(server?.openId === undefined ? [] : ['by server.openId']),
    ...((server?.tokens ?? []).length === 0 ? [] : ['with a token of server.tokens']),
    ...(server?.signInLink === undefined || !isLoopback(host)
      ? []
      : ['with the link that "rollcall start --link" prints']),
  ];
  const none = 'not possible yet: set server.signInLink, server.tokens or server.openId (docs/sign-in.md)';
  return ways.length === 0 ? none : ways.join(', or ');
}

function settingsOf(
  server: ServerConfig | undefined,
  listen: ServeOptions['listen'],
  serves: ServerSettings['serves'],
): ServerSettings {
  const host = listen?.host ?? server?.host ?? '127.0.0.1';
  return {
    host,
    // --host may open to others what the configuration keeps on this machine.
    ...given({ signInLink: isLoopback(host) ? server?.signInLink : undefined }),
    port: listen?.port ?? server?.port ?? 0,
    tokens: (server?.tokens ?? []).map(({ token, ...known }) => ({ ...known, token: token.reveal() })),
    ...given({ publicUrl: server?.publicUrl, openId: server?.openId && openIdOf(server.openId) }),
    sessions: server?.sessions ?? { idleMs: 1_800_000, lifetimeMs: 43_200_000 },
    webhooks: new Map(
      Object.entries(server?.webhooks ?? {}).map(([sync, { secret, ...way }]) => [
        sync,
        { ...way, secret: secret.reveal() },
      ]),
    ),
    requestsPerMinute: server?.requestsPerMinute ?? 300,
    metrics: server?.metrics ?? 'token',
    trustedProxies: server?.trustedProxies ?? [],
    serves,
  };
}

function openIdOf({ clientSecret, ...settings }: NonNullable<ServerConfig['openId']>): OpenIdSettings {
  return { ...settings, ...given({ clientSecret: clientSecret?.reveal() }) };
}

/** Opens the metrics of a process of `rollcall start`. Loads them only here. */
async function openProcessMetrics(
  config: Config,
  { io, meter }: Engine,
  { queue, sight }: { readonly queue: RedisWatch['depth'] | undefined; readonly sight: Sight },
): Promise<OpenedMetrics> {
  const { openMetrics } = await import('../watch/metrics/metrics.ts');
  const { clock, newId, store } = io;
  const channels = config.alerts.map(({ name }) => name);
  const metrics = openMetrics({
    ...{ store, clock, queue, version: readVersion(), owner: newId('metrics') },
    names: { syncs: Object.values(config.syncs), connections: Object.keys(config.connections), channels },
    isReloadRefused: () => sight.refusedReload !== undefined,
  });
  meter.attach(metrics.metrics);
  return metrics;
}
