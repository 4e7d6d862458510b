import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir, uptime, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { ulid } from 'ulid';
import type { AppIo } from '../app/app-io.ts';
import {
  type Backups,
  type CliIo,
  Interruption,
  type KnownIdentity,
  type OpenAppOptions,
  type SandboxAccess,
  type StopSignal,
  stopSignals,
} from '../cli/cli-io.ts';
import { runCli } from '../cli/run-cli.ts';
import type { Config } from '../config/config.ts';
import { RollcallError } from '../core/run/errors.ts';
import { given } from '../core/run/given.ts';
import { environmentEgress } from '../drivers/http/egress.ts';
import { readVersion } from '../drivers/http/version.ts';
import { realClock } from '../platform/client/defaults.ts';
import type { Tracing } from '../ports/metrics.ts';
import { type Clock, type Egress, type Logger, type NewId, silentLogger, type Uptime } from '../ports/runtime.ts';
import type { GuessedFile } from '../ports/source.ts';
import type { StoreMigration } from '../ports/store-operations.ts';
import { sourceTokenName } from '../ports/tokens.ts';
import { openSight } from '../watch/alerts/open-checks.ts';
import { type LogScope, openLogScope } from '../watch/logs/log-scope.ts';
import { isTelemetryOn } from '../watch/tracing/is-on.ts';
import { followClock, openWhenWritable, uptimeOf } from '../work/liveness.ts';

export const systemClock = realClock(() => Date.now());

const bootIdFile = '/proc/sys/kernel/random/boot_id';
export function openUptime(): Uptime {
  return {
    boot: readBootId(),
    now: uptimeOf(
      () => uptime() * 1000,
      () => performance.now(),
    ),
  };
}

function readBootId(): string | undefined {
  try {
    return readFileSync(bootIdFile, 'utf8').trim();
  } catch {
    return undefined;
  }
}

/** Returns ids that sort by time: `run_01J…`. */
export const newUlid: NewId = (prefix) => `${prefix}_${ulid()}`;

/** Opens what the command line needs, over a real process. */
export function openProcessIo(self: NodeJS.Process, signal: AbortSignal): CliIo {
  const { stdin, stdout, stderr, env } = self;
  const isInteractive = stdin.isTTY && stderr.isTTY;
  // What was checked is what is opened: a file that changes in between cannot end the process.
  let checked: Config | undefined;
  const keepChecked = (config: Config): void => {
    checked = config;
  };
  return {
    stdout,
    stderr,
    env,
    cwd: self.cwd(),
    clock: systemClock,
    signal,
    ...(stdin.isTTY ? {} : { onHangup: hangupsOf(self) }),
    ...(isInteractive ? { ask: (question: string) => ask(question, self, signal) } : {}),
    operator: operatorName(env),
    identify: async (configPath, token) => identityOf(await readConfig(configPath, env), token),
    version: readVersion(),
    openApp: (configPath, options) => {
      const config = checked;
      checked = undefined;
      return openConfiguredApp(configPath, { ...options, env, stderr, ...given({ config }), onChecked: keepChecked });
    },
    checkConfig: async (configPath) => (await readConfig(configPath, env)).plainText,
    namesIn: async (configPath, key) => (await import('../config/load-config.ts')).readConfigNames(configPath, key),
    migrateStore: (configPath) => migrateConfiguredStore(configPath, env),
    backups: openBackups(env),
    sourceKinds: loadSourceKinds,
    starterFiles: async (name) =>
      (await import('../config/init-template.ts')).initTemplate(await loadSourceKinds(), name),
    guessFile: (path) => guessFile(path, signal),
    proposedConfig: async (sections) => (await import('../config/init-template.ts')).proposedConfig(sections),
    apiOperations: async () => (await import('../platform/table/parameters.ts')).listApiOperations(),
    sandbox: sandboxAccess,
    // The platform and its web server are loaded only where they are used.
    openDemo: async (folder) => (await import('../sandbox/demo-world.ts')).openDemoWorld(folder, systemClock.now),
  };
}

/** Returns the one of `server.tokens` with this text. */
export function identityOf({ server }: Config, token: string): KnownIdentity | undefined {
  const found = server?.tokens.find((one) => one.token.reveal() === token);
  if (found === undefined) return undefined;
  const { name, token: _token, ...grant } = found;
  return { name: `token:${name}`, access: [grant] };
}

/** Remembers a SIGHUP that comes while there is no listener, which is while a configuration is opened again. */
function hangupsOf(self: NodeJS.Process): NonNullable<CliIo['onHangup']> {
  const listeners = new Set<() => void>();
  let isMissed = false;
  const hear = (): void => {
    isMissed = listeners.size === 0;
    for (const listener of listeners) listener();
  };
  return (listener) => {
    // Stays for the life of the process: without a handler the next SIGHUP would end it.
    if (!self.listeners('SIGHUP').includes(hear)) self.on('SIGHUP', hear);
    listeners.add(listener);
    if (isMissed) queueMicrotask(hear);
    return () => void listeners.delete(listener);
  };
}

/** Finds how a file is written. A packed one is unpacked into a folder that is deleted afterwards. */
export async function guessFile(path: string, signal: AbortSignal): Promise<GuessedFile> {
  const { guessCsv } = await import('../sources/csv/guess.ts');
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-init-'));
  try {
    const base = { folder: dirname(path), scratchFolder: folder, openTokens: () => noTokens };
    return await guessCsv(path, base, { clock: systemClock, logger: silentLogger, signal, previous: undefined });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Loads the kinds of sources where they are used, because they are large. */
async function loadSourceKinds() {
  return (await import('../sources/registry.ts')).sourceKinds;
}

/** Asks on the terminal. Returns empty text when the input ends. */
function ask(question: string, { stdin, stderr }: NodeJS.Process, signal: AbortSignal): Promise<string> {
  // Terminal mode would read Ctrl-C as a key instead of a signal.
  const lines = createInterface({ input: stdin, output: stderr, terminal: false });
  return new Promise<string>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    lines.once('close', () => resolve(''));
    lines.question(question, resolve);
  }).finally(() => lines.close());
}

function operatorName(env: NodeJS.ProcessEnv): string {
  try {
    return `shell:${userInfo().username}`;
  } catch {
    // The user of a container often has no name.
    return `shell:${env.USER ?? `uid ${process.getuid?.() ?? 'unknown'}`}`;
  }
}

/** The sandbox for the command line. It is loaded only where it is used. */
export const sandboxAccess: SandboxAccess = {
  start: async (request) => (await import('../sandbox/index.ts')).startByCommand({ ...request, now: systemClock.now }),
  openApi: async () => (await import('../platform/table/open-api.ts')).renderOpenApi(),
  faults: async () => (await import('../sandbox/faults/parse-fault.ts')).listFaults(),
};

interface AppSurroundings extends OpenAppOptions {
  /** The configuration, if it was read and checked before. */
  readonly config?: Config;
  /** Called with a configuration that was read again without a problem, before the app is to be opened again. */
  readonly onChecked?: (config: Config) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stderr: { readonly isTTY?: boolean; write(line: string): unknown };
}

/**
 * Loads a configuration and opens what it names. Throws `CONFIG_INVALID` with every problem, and opens nothing then.
 * Imports the parts here, so that `--help` and `init` do not load them.
 */
export async function openConfiguredApp(configPath: string, options: AppSurroundings): Promise<AppIo> {
  const config = options.config ?? (await readConfig(configPath, options.env));
  const [{ openEngine }, { openApp }] = await Promise.all([import('./engine.ts'), import('./app.ts')]);
  const clock = systemClock;
  const { logs, waits, mayPresentSeed, mayPresentRestored = false, hasEffect = false } = options;
  const egress = openEgress(options.env);
  const scope = openLogScope();
  const logger = logs === 'on' ? await openLog(config, scope, options.stderr) : silentLogger;
  const open = () =>
    openEngine(config, {
      clock,
      uptime: openUptime(),
      logger,
      newId: newUlid,
      checkpoint: () => {},
      mayPresentSeed,
      mayPresentRestored,
      isReadOnly: !hasEffect,
      egress,
    });
  const sight = openSight();
  const engine =
    waits === undefined
      ? await open()
      : await openWhenWritable({
          open,
          passingFault: (await import('../store/index.ts')).passingFault,
          serve: async (fault) =>
            (await import('./deployment.ts')).serveWaiting(config, fault, { clock, logger, newId: newUlid, ...waits }),
          ...{ clock, logger, signal: waits.signal },
          onWaited: (away) => {
            sight.away = away;
          },
        });
  if (hasEffect && waits === undefined) {
    await engine.io.store.requireHere().catch(async (error: unknown) => {
      await engine.close();
      throw error;
    });
  }
  const tracing = await openTracing(config, { env: options.env, clock, logger, egress });
  if (tracing !== undefined) engine.meter.attach(tracing.metrics);
  const stopFollowing = followClock(engine.checkClock, clock);
  const close = async (): Promise<void> => {
    await stopFollowing();
    await engine.close();
    await tracing?.close();
  };
  const checkConfig = async (): Promise<void> => options.onChecked?.(await readConfig(configPath, options.env));
  return openApp(config, { ...engine, ...given({ tracing }), close }, { scope, checkConfig, sight });
}

/** Loads the library of logs only for a command that writes some. */
async function openLog(config: Config, scope: LogScope, stderr: AppSurroundings['stderr']): Promise<Logger> {
  const { createLogger, prettyLines } = await import('../watch/logs/create-logger.ts');
  const destination = stderr.isTTY === true ? await prettyLines(stderr) : stderr;
  const { encryptionKey, folder, store, log } = config;
  // The key of the hashes that replace people in logs: the same for all processes on one store.
  const text = encryptionKey?.reveal() ?? `${folder}\n${store}`;
  const key = createHash('sha256').update('rollcall log key\n').update(text).digest();
  return createLogger({ level: log.level, destination, key, clock: systemClock, scope });
}

/** Opens the SDK of OpenTelemetry when the environment asks for it. It is loaded only then. */
async function openTracing(
  config: Config,
  parts: Pick<AppSurroundings, 'env'> & { readonly clock: Clock; readonly logger: Logger; readonly egress: Egress },
): Promise<Tracing | undefined> {
  if (!isTelemetryOn(parts.env)) return undefined;
  const { openTelemetry } = await import('../watch/tracing/open-telemetry.ts');
  const hosts = new Map(
    Object.values(config.connections).map(({ name, baseUrl }) => [name, new URL(baseUrl).hostname]),
  );
  const hostOf = (connection: string) => hosts.get(connection);
  return openTelemetry({ ...parts, version: readVersion(), deployment: config.deployment, hostOf });
}

/** Loads a configuration and migrates its store to this version. Opens no connection, source or other folder. */
export async function migrateConfiguredStore(configPath: string, env: AppSurroundings['env']): Promise<StoreMigration> {
  const { store, folder } = await readConfig(configPath, env);
  const { migrateStore } = await import('../store/index.ts');
  return migrateStore(store, { folder });
}

/** Loads and checks a configuration. Throws `CONFIG_INVALID` with every problem. */
export async function readConfig(configPath: string, env: AppSurroundings['env']): Promise<Config> {
  const [{ loadConfig }, { createExpressions }, { knownKinds }] = await Promise.all([
    import('../config/load-config.ts'),
    import('../config/expressions.ts'),
    import('../sources/kinds.ts'),
  ]);
  const config = await loadConfig(configPath, { env, sourceKinds: knownKinds, expressions: createExpressions() });
  // A proxy that is none is a wrong configuration too, although the environment has it.
  openEgress(env);
  return config;
}

function openEgress(env: AppSurroundings['env']): Egress {
  try {
    return environmentEgress(env);
  } catch (error) {
    throw new RollcallError(error instanceof Error ? error.message : String(error), { code: 'CONFIG_INVALID' });
  }
}

/** Opens backups and restores of the store that a configuration names. */
export function openBackups(env: Readonly<Record<string, string | undefined>>): Backups {
  const open = async (configPath: string) => {
    const [config, store, { openSeals }] = await Promise.all([
      readConfig(configPath, env),
      import('../store/backup/index.ts'),
      import('../platform/tokens/seal.ts'),
    ]);
    const { all: seals } = openSeals(config);
    const parts = { folder: config.folder, seals, version: readVersion(), now: () => systemClock.now() };
    return { config, store, parts, newId: newUlid };
  };
  return {
    async create(configPath, file, signed) {
      const { config, store, parts, newId } = await open(configPath);
      const summary = await store.backUpStore(config.store, file, parts);
      const rows = Object.values(summary.rows).reduce((sum, count) => sum + count, 0);
      await store.noteBackup(config.store, rows, { ...parts, ...signed, id: newId('audit') });
      return summary;
    },
    async preview(configPath, file) {
      const { config, store, parts } = await open(configPath);
      return store.previewRestore(config.store, file, parts);
    },
    async restore(configPath, file, signed) {
      const { config, store, parts, newId } = await open(configPath);
      const syncs = Object.keys(config.syncs);
      const seeds = await configuredSeeds(config);
      return store.restoreStore(config.store, file, { ...parts, ...signed, id: newId('audit'), syncs, seeds });
    },
    async move(configPath, from, signed) {
      const [{ config, parts, newId }, { moveStore }] = await Promise.all([
        open(configPath),
        import('../store/backup/move.ts'),
      ]);
      const url = from.replace(/\$\{env:(\w+)\}/g, (reference, name: string) => env[name] ?? reference);
      return moveStore(url, config.store, { ...parts, ...signed, id: newId('audit') });
    },
  };
}

/** Returns hashes of the first tokens in the configuration, by the names under which the store keeps their pairs. */
async function configuredSeeds(config: Config): Promise<ReadonlyMap<string, string>> {
  const { hashSeed } = await import('../platform/tokens/vault.ts');
  const seeds = new Map<string, string>();
  for (const { name, refreshToken } of Object.values(config.connections)) {
    if (refreshToken !== undefined) seeds.set(name, hashSeed(refreshToken.reveal()));
  }
  for (const { name, source } of Object.values(config.syncs)) {
    const row = sourceTokenName(name);
    source.open({
      folder: config.folder,
      scratchFolder: config.folder,
      openTokens: ({ refreshToken }) => {
        seeds.set(row, hashSeed(refreshToken));
        return noTokens;
      },
    });
  }
  return seeds;
}

const unused = async (): Promise<never> => {
  throw new Error('a source that is only asked for its token reads nothing');
};

const noTokens = { current: unused, renew: unused, accepted: () => {} };

/**
 * Runs the command line of this process and sets its exit code. The first SIGINT or SIGTERM asks the command to stop at a
 * safe place; the second ends the process at once.
 */
export async function runProcess(self: NodeJS.Process): Promise<void> {
  const stopping = new AbortController();
  const stop = (signal: StopSignal) => {
    const interruption = new Interruption(signal);
    if (stopping.signal.aborted) self.exit(interruption.exitCode);
    stopping.abort(interruption);
  };
  for (const signal of stopSignals) self.on(signal, stop);
  // A closed output pipe (`rollcall runs | head`) does not stop a run in progress.
  const ignoreClosedPipe = (error: NodeJS.ErrnoException): void => {
    if (error.code !== 'EPIPE') throw error;
  };
  for (const output of [self.stdout, self.stderr]) output.on('error', ignoreClosedPipe);
  const io = openProcessIo(self, stopping.signal);
  self.exitCode = await runCli(self.argv.slice(2), io);
  for (const signal of stopSignals) self.off(signal, stop);
  await Promise.all([self.stdout, self.stderr].map(written));
  // Our resources are closed. A library may still wait, for example for Redis, and V8 would first collect its garbage.
  self.exit();
}

/** Resolves when the reader has everything, or is gone. */
function written(output: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => output.write('', () => resolve()));
}
