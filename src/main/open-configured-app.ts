import { createHash } from 'node:crypto';
import type { AppIo } from '../app/app-io.ts';
import type { OpenAppOptions } from '../cli/cli-io.ts';
import type { Config } from '../config/config.ts';
import { RollcallError } from '../core/run/errors.ts';
import { environmentEgress } from '../drivers/http/egress.ts';
import { readVersion } from '../drivers/http/version.ts';
import type { Clock, Egress, Logger } from '../ports/runtime.ts';
import type { StoreMigration } from '../ports/store-backup.ts';
import type { Tracing } from '../ports/tracing.ts';
import { isTelemetryOn } from '../watch/tracing/is-on.ts';

export interface AppSurroundings extends OpenAppOptions {
  /** The configuration, if it was read and checked before. */
  readonly config?: Config;
  /** Called with a configuration that was read again without a problem, before the app is to be opened again. */
  readonly onChecked?: (config: Config) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The destination of logs. */
  readonly stderr: { readonly isTTY?: boolean; write(line: string): unknown };
}

/**
 * Loads a configuration and opens what it names. Throws `CONFIG_INVALID` with every problem, and opens nothing then.
 * Imports the parts here, so that `--help` and `init` do not load them.
 */
export async function openConfiguredApp(configPath: string, options: AppSurroundings): Promise<AppIo> {
  const config = options.config ?? (await readConfig(configPath, options.env));
  const [
    { createLogger },
    { openLogScope },
    { newUlid, openUptime, systemClock: clock },
    { openEngine },
    { followClock },
    { openApp },
  ] = await Promise.all([
    import('../watch/logs/create-logger.ts'),
    import('../watch/logs/log-scope.ts'),
    import('./system.ts'),
    import('./open-engine.ts'),
    import('../work/follow-clock.ts'),
    import('./open-app.ts'),
  ]);
  const { logs, stderr, mayPresentSeed, mayPresentRestored = false } = options;
  const egress = openEgress(options.env);
  const scope = openLogScope();
  const logger = createLogger({
    level: logs === 'on' ? config.log.level : 'silent',
    pretty: stderr.isTTY === true,
    destination: stderr,
    key: logKey(config),
    clock,
    scope,
  });
  const engine = await openEngine(config, {
    clock,
    uptime: openUptime(),
    logger,
    newId: newUlid,
    checkpoint: () => {},
    mayPresentSeed,
    mayPresentRestored,
    egress,
  });
  const tracing = await openTracing(config, { env: options.env, clock, logger });
  if (tracing !== undefined) engine.meter.attach(tracing.metrics);
  const stopFollowing = followClock(engine.checkClock, clock);
  const close = async (): Promise<void> => {
    await stopFollowing();
    await engine.close();
    await tracing?.close();
  };
  const checkConfig = async (): Promise<void> => options.onChecked?.(await readConfig(configPath, options.env));
  const traced = tracing === undefined ? {} : { tracing };
  return openApp(config, { ...engine, ...traced, close }, { scope, checkConfig });
}

/** Opens the SDK of OpenTelemetry when the environment asks for it. It is loaded only then. */
async function openTracing(
  config: Config,
  { env, clock, logger }: { readonly env: AppSurroundings['env']; readonly clock: Clock; readonly logger: Logger },
): Promise<Tracing | undefined> {
  if (!isTelemetryOn(env)) return undefined;
  const { openTelemetry } = await import('../watch/tracing/open-telemetry.ts');
  const hosts = new Map(
    Object.values(config.connections).map(({ name, baseUrl }) => [name, new URL(baseUrl).hostname]),
  );
  const hostOf = (connection: string) => hosts.get(connection);
  return openTelemetry({ env, version: readVersion(), deployment: config.deployment, hostOf, clock, logger });
}

/** Loads a configuration and migrates its store to this version. Opens no connection, source or other folder. */
export async function migrateConfiguredStore(configPath: string, env: AppSurroundings['env']): Promise<StoreMigration> {
  const { store, folder } = await readConfig(configPath, env);
  const { migrateStore } = await import('../store/index.ts');
  return migrateStore(store, { folder });
}

export async function readConfig(configPath: string, env: AppSurroundings['env']): Promise<Config> {
  const [{ loadConfig }, { createExpressions }, { sourceKinds }] = await Promise.all([
    import('../config/load-config.ts'),
    import('../config/expressions.ts'),
    import('../sources/registry.ts'),
  ]);
  return loadConfig(configPath, { env, sourceKinds, expressions: createExpressions() });
}

/** Returns the key of the hashes that replace people in logs: the same for all processes on one store. */
function logKey({ encryptionKey, folder, store }: Config): Uint8Array {
  const text = encryptionKey?.reveal() ?? `${folder}\n${store}`;
  return createHash('sha256').update('rollcall log key\n').update(text).digest();
}

function openEgress(env: AppSurroundings['env']): Egress {
  try {
    return environmentEgress(env);
  } catch (error) {
    throw new RollcallError(error instanceof Error ? error.message : String(error), { code: 'CONFIG_INVALID' });
  }
}
