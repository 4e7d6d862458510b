import type { AppIo } from '../app/app-io.ts';
import type { Config } from '../config/config.ts';
import { RollcallError } from '../core/run/errors.ts';
import { alertWithoutScheduler } from '../work/deployment-lease.ts';
import { type Heartbeat, openHeartbeat } from '../work/heartbeat.ts';
import type { DriveIo } from '../work/in-process/drive-run.ts';
import { runDeployment } from './deployment.ts';
import type { Engine } from './open-engine.ts';
import { openProcessMetrics } from './process-metrics.ts';
import type { RedisWatch } from './redis-watch.ts';
import { workUntilReload } from './reload.ts';
import { serve } from './serve.ts';
import { openConfigAlertChecks } from './watch-alerts.ts';

export type StartOptions = Parameters<AppIo['start']>[0];

/** What a deployment runs. */
export interface DeploymentParts {
  readonly config: Config;
  readonly engine: Engine;
  readonly app: AppIo;
  readonly openDrive: (options: StartOptions) => DriveIo;
  /** Reads the configuration again, and throws its problems. */
  readonly checkConfig: () => Promise<unknown>;
}

/** Runs `rollcall start` until the signal aborts, or until the configuration is to be opened again. */
export function startDeployment(parts: DeploymentParts, options: StartOptions): Promise<'stopped' | 'reload'> {
  const { signal, onHangup } = options;
  const { checkConfig, engine } = parts;
  return workUntilReload({ signal, onHangup, checkConfig, logger: engine.io.logger }, (until) =>
    runRole(parts, { ...options, signal: until }),
  );
}

/** The work of the role, and the server if there is one. Returns after the signal aborts. */
async function runRole(parts: DeploymentParts, options: StartOptions): Promise<void> {
  const { config, engine, app } = parts;
  const { role = 'all', listen, onReady, onListening } = options;
  refuseRole(config, options);
  const { clock, logger } = engine.io;
  const heartbeat = openHeartbeat(clock);
  const isServed = config.server !== undefined || listen !== undefined;
  const isWatched = isServed || engine.tracing !== undefined;
  const watch = isWatched && config.redis !== undefined ? await openWatch(config.redis, engine) : undefined;
  const metrics = isWatched ? await openProcessMetrics(config, engine, watch?.depth) : undefined;
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
      }));
    if (server !== undefined) {
      logger.info({ url: server.url, serves: role }, 'listening');
      onListening?.(server.url);
    }
    const ready = (): void => {
      isStarted = true;
      logger.info({ role, syncs: engine.io.syncs.size }, 'ready');
      onReady();
    };
    const { workBesideServer } = await import('../server/open-server.ts');
    await workBesideServer(server, options.signal, (signal) =>
      work(parts, { ...options, role, signal, onReady: ready }, heartbeat, watch),
    );
  } finally {
    metrics?.close();
    await watch?.close();
  }
}

async function openWatch(redis: NonNullable<Config['redis']>, engine: Engine): Promise<RedisWatch> {
  const { watchRedis } = await import('./redis-watch.ts');
  return watchRedis(redis, engine.io);
}

async function work(
  { config, engine, openDrive }: DeploymentParts,
  options: StartOptions,
  heartbeat: Heartbeat,
  watch: RedisWatch | undefined,
): Promise<void> {
  const { redis } = config;
  const { role = 'all', onReady, signal } = options;
  if (role === 'server') {
    onReady();
    return alertWithoutScheduler(engine.io, openConfigAlertChecks(config, engine), signal);
  }
  const drive = openDrive(options);
  // From now on, a missing tick is a fault.
  if (role !== 'worker') heartbeat.ticked();
  if (redis === undefined) return runDeployment(config, engine, drive, { onReady, onTick: heartbeat.ticked });
  const { runRedisDeployment } = await import('./redis-deployment.ts');
  const over = new AbortController();
  const watching =
    watch === undefined || role === 'scheduler'
      ? undefined
      : heartbeat.watchWorker(watch.waiting, AbortSignal.any([signal, over.signal]));
  try {
    await runRedisDeployment(config, engine, heartbeat.follow(drive), {
      redis,
      role,
      onReady,
      onTick: heartbeat.ticked,
    });
  } finally {
    over.abort(new RollcallError('the work has ended', { code: 'CANCELLED' }));
    await watching;
  }
}

function refuseRole({ redis, server }: Config, { role = 'all', listen }: StartOptions): void {
  if (redis === undefined && (role === 'scheduler' || role === 'worker')) {
    const message = `--role ${role} needs "redis" in the configuration, because processes share work through Redis: set it, or omit --role`;
    throw new RollcallError(message, { code: 'USAGE' });
  }
  if (role === 'server' && server === undefined && listen === undefined) {
    const message = '--role server needs "server" in the configuration, with an address and tokens';
    throw new RollcallError(message, { code: 'USAGE' });
  }
}
