import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { ConnectionAccess, PlatformApi } from '../app/app-io.ts';
import { keepSafeguards, moveFormerNames } from '../app/audit.ts';
import { findConnection } from '../app/find-named.ts';
import type { Config, ConnectionSettings, SyncConfig } from '../config/config.ts';
import { type ExpressionThread, openExpressionThread } from '../config/expression-thread.ts';
import { createExpressions } from '../config/expressions.ts';
import { configurationOf, fingerprintOf } from '../config/fingerprint.ts';
import { compileMapping } from '../core/person/mapping.ts';
import { given } from '../core/run/given.ts';
import type { RequestPurpose } from '../core/run/requests.ts';
import type { Limits } from '../core/run/settings.ts';
import { defaultExpressionLimits } from '../core/run/settings.ts';
import { openDirect, openLeaders } from '../delivery/direct.ts';
import { openOutbox, openUploads, provisioningBytes } from '../delivery/provisioning-file.ts';
import { egressWith } from '../drivers/http/egress.ts';
import { openLocalBudget } from '../drivers/http/rate-limit.ts';
import { openPlatformClient, type PlatformClient, type PlatformClientOptions } from '../platform/client/client.ts';
import { randomShare } from '../platform/client/defaults.ts';
import { openPlatform } from '../platform/platform.ts';
import { exchangeRefreshToken, revokeToken } from '../platform/tokens/calls.ts';
import { openTokenManager } from '../platform/tokens/open-token-manager.ts';
import type { RevokeCall } from '../platform/tokens/revoke.ts';
import { openSeals } from '../platform/tokens/seal.ts';
import type { TokenManager, TokenManagerOptions } from '../platform/tokens/token-manager.ts';
import type { CountRequests, Metrics, Tracing } from '../ports/metrics.ts';
import type { Platform, RateBudget } from '../ports/platform.ts';
import type { Checkpoint, Clock, Egress, Logger, NewId, Uptime } from '../ports/runtime.ts';
import type { RefreshGrant, SourceBase } from '../ports/source.ts';
import type { Store } from '../ports/store.ts';
import type { Seal } from '../ports/tokens.ts';
import { sourceTokenName } from '../ports/tokens.ts';
import type { EngineIo, Sync } from '../run/engine-io.ts';
import { openFileSpool, openScratchFolder } from '../store/db/file-spool.ts';
import { openStoreWithClock } from '../store/index.ts';
import { openWindows } from '../work/schedule.ts';
import { openReports } from './mailed-reports.ts';

export interface EngineParts {
  /** The machine's clock. The engine has the store's. */
  readonly clock: Clock;
  /** Absent: the engine has the machine's clock as it is. */
  readonly uptime?: Uptime;
  readonly logger: Logger;
  readonly newId: NewId;
  readonly checkpoint: Checkpoint;
  /** Whether this command may present the configured first refresh token (design, "Tokens"). */
  readonly mayPresentSeed: boolean;
  readonly mayPresentRestored?: boolean;
  /** Opening stores nothing: no former name of a sync is moved, and no safeguard counts as used. */
  readonly isReadOnly?: boolean;
  /** The proxies of the environment. Absent: none. */
  readonly egress?: Egress;
}

export interface Engine {
  readonly io: EngineIo;
  readonly connections: ReadonlyMap<string, Connection>;
  /** Counts the activity of the connections. */
  readonly meter: Meter;
  readonly egress: Egress | undefined;
  /** Sends traces and metrics. Absent: telemetry is off. */
  readonly tracing?: Tracing;
  /** Compares the clock with the store's again (`StoreClock.check`). */
  checkClock(): Promise<void>;
  close(): Promise<void>;
}

/** Opens the store, every connection and every sync of a configuration. Sends no request. Must be closed. */
export async function openEngine(config: Config, machine: EngineParts): Promise<Engine> {
  const scratchFolder = await openScratchFolder(config.folder, machine.clock.now());
  const { folder } = config;
  const { logger, newId, checkpoint } = machine;
  const { all: seals, tokens: seal } = openSeals(config);
  const { store, clock: storeClock } = await openStoreWithClock(config.store, {
    ...machine,
    folder,
    seals,
    connections: config.workers.storeConnections,
  });
  const clock: Clock = { ...storeClock, sleep: (ms, signal) => machine.clock.sleep(ms, signal) };
  const storeIo = { store, clock, logger, newId, ...given({ approvals: config.approvals }) };
  const configured = Object.values(config.syncs);
  const names = await moveFormerNames(configured, storeIo, machine)
    .then(async (kept) => {
      if (machine.isReadOnly !== true) await keepSafeguards(configured, storeIo);
      return kept;
    })
    .catch(async (error: unknown) => {
      await store.close();
      throw error;
    });
  const parts: EngineParts = { ...machine, clock };
  // The Redis client is loaded only where it is used.
  const openLocal = (share: Limits): RateBudget => openLocalBudget(share, clock);
  const budgets =
    config.redis === undefined
      ? undefined
      : (await import('../work/queue/redis-budget.ts')).openBudgets(config.redis, { ...parts, openLocal });
  const meter = openMeter();
  const connections = new Map(
    Object.values(config.connections).map((settings) => {
      const budget = budgets?.of(settings.name, settings.limits);
      return [settings.name, openConnection(settings, { ...parts, store, seal, metrics: meter, ...given({ budget }) })];
    }),
  );
  const thread = openExpressionThread();
  const sourceTokens: TokenManager[] = [];
  const syncs = new Map(
    configured.map((settings) => [
      settings.name,
      openSync(
        settings,
        config,
        { connections, thread, names },
        {
          ...{ folder, scratchFolder, ...given({ egress: parts.egress }) },
          openTokens: (grant) => {
            const name = names.get(settings.name) ?? settings.name;
            const manager = openSourceTokens(name, grant, { ...parts, store, seal, metrics: meter });
            sourceTokens.push(manager);
            return manager;
          },
        },
      ),
    ]),
  );
  const openSpool = () => openFileSpool(scratchFolder);
  const io: EngineIo = {
    ...storeIo,
    ...{ syncs, openSpool, checkpoint },
    retention: config.retention,
    reports: openReports(config, () => io, parts.egress),
    progress: () => {},
    countRequests: meter.countRequests,
  };
  return {
    io,
    connections,
    meter,
    egress: parts.egress,
    checkClock: storeClock.check,
    close: async () => {
      await thread.close();
      // A refresh in progress needs the store, and a pair that it refuses is tried for as long as the process may live.
      const managers = [...connections.values(), ...sourceTokens];
      await Promise.all(managers.map((manager) => manager.close()));
      budgets?.close();
      await store.close();
    },
  };
}

/** One connection, opened: its tokens, its client and the engine's view of it. */
export interface Connection {
  readonly settings: ConnectionSettings;
  readonly tokenManager: TokenManager;
  readonly client: PlatformClient;
  readonly clientOptions: PlatformClientOptions;
  readonly platform: Platform;
  readonly revoke: RevokeCall;
  close(): Promise<void>;
}

interface ConnectionParts extends TokenParts {
  /** The rate that every process of the deployment shares. Absent: this process has the whole rate of the connection. */
  readonly budget?: RateBudget;
  /** The proxies of the environment. */
  readonly egress?: Egress;
}

function openConnection(settings: ConnectionSettings, parts: ConnectionParts): Connection {
  const { clock, metrics, budget } = parts;
  const { name, baseUrl, dialect, limits } = settings;
  const logger = parts.logger.child({ connection: name });
  const applicationToken = settings.applicationToken?.reveal();
  // Node takes given authorities in place of its own.
  const usual = settings.ca === undefined ? [] : process.getBuiltinModule('node:tls').getCACertificates('default');
  const tls = settings.ca === undefined ? undefined : { ca: [...usual, settings.ca].join('\n') };
  const way = { egress: egressWith(settings.proxy?.reveal(), parts.egress), ...given({ tls }) };
  const onRequest: PlatformClientOptions['onRequest'] = (request) =>
    metrics.requestEnded({ ...request, connection: name });
  const endpoint = { baseUrl, timeoutMs: limits.timeoutMs, now: () => clock.now(), way, onRequest };
  const tokenManager = openTokens(
    {
      connection: name,
      exchange: (refreshToken, signal) =>
        exchangeRefreshToken(
          { ...endpoint, applicationToken: applicationToken ?? '', refreshToken, expiresIn: dialect.expiresIn },
          signal,
        ),
      configuredRefreshToken: settings.refreshToken?.reveal(),
      staticAccessToken: settings.accessToken?.reveal(),
      httpTimeoutMs: limits.timeoutMs,
      // The token manager adds the connection to its log lines.
      logger: parts.logger,
    },
    parts,
  );
  const clientOptions: PlatformClientOptions = {
    ...{ baseUrl, dialect, limits, tokens: tokenManager, way, clock, logger, onRequest },
    ...given({ applicationToken, budget }),
  };
  const client = openPlatformClient(clientOptions);
  return {
    settings,
    tokenManager,
    client,
    clientOptions,
    platform: openPlatform(client),
    revoke: (accessToken, signal) => revokeToken({ ...endpoint, accessToken }, signal),
    close: async () => {
      await tokenManager.close();
      await client.close();
    },
  };
}

/** What every token manager of this process shares. */
export interface TokenParts {
  readonly store: Store;
  readonly seal: Seal | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly mayPresentSeed: boolean;
  readonly mayPresentRestored?: boolean;
  readonly metrics: Metrics;
}

type SharedOptions = 'leases' | 'newOwner' | 'random' | keyof Omit<TokenParts, 'logger' | 'metrics'>;

/** Opens a token manager over the store, and counts how its presentations end. */
function openTokens(own: Omit<TokenManagerOptions, SharedOptions>, parts: TokenParts): TokenManager {
  const { store, seal, clock, mayPresentSeed, mayPresentRestored = false, metrics } = parts;
  return openTokenManager({
    ...own,
    store: store.tokens,
    leases: store.leases,
    exchange: async (refreshToken, signal) => {
      const outcome = await own.exchange(refreshToken, signal);
      metrics.tokenPresented(own.connection, outcome.kind);
      return outcome;
    },
    seal,
    clock,
    newOwner: () => randomBytes(8).toString('hex'),
    mayPresentSeed,
    mayPresentRestored,
    random: randomShare,
  });
}

/** Opens the rotating tokens of a sync's source, kept in the store as `source <sync>` and refreshed as a connection's are. */
export function openSourceTokens(sync: string, grant: RefreshGrant, parts: TokenParts): TokenManager {
  return openTokens(
    {
      connection: sourceTokenName(sync),
      exchange: (refreshToken, signal) => grant.exchange(refreshToken, signal),
      configuredRefreshToken: grant.refreshToken,
      staticAccessToken: undefined,
      httpTimeoutMs: grant.timeoutMs,
      logger: parts.logger.child({ source: sync }),
    },
    parts,
  );
}

/** Opens one sync over its connection. Sends no request. */
function openSync(
  settings: SyncConfig,
  config: Config,
  {
    connections,
    thread,
    names,
  }: {
    readonly connections: ReadonlyMap<string, Connection>;
    readonly thread: ExpressionThread;
    /** Names that the store still has for syncs. */
    readonly names: ReadonlyMap<string, string>;
  },
  base: SourceBase,
): Sync {
  const connection = connections.get(settings.connection);
  if (connection === undefined) throw new RangeError(`sync ${settings.name} names no known connection`);
  const { platform } = connection;
  const { dialect, limits: callLimits } = connection.settings;
  const blacklist = settings.remove !== 'never' && settings.remove.blacklist;
  const outboxFolder = settings.outbox?.folder ?? join(config.folder, 'outbox');
  const { expressions: limits = defaultExpressionLimits } = settings;
  const expressions = createExpressions({ thread, limits });
  const compile: Sync['compile'] = (of) => compileMapping(of.mapping, of.lifecycle, of, { expressions });
  const deliveryIo = { platform, dialect, blacklist, outboxFolder };
  const sync: Sync = {
    settings,
    ...given({ storedAs: names.get(settings.name) }),
    source: settings.source.open(base),
    mapping: compile(settings),
    compile,
    mappingText: () => config.mappingOf(settings.name),
    // Mapping and lifecycle are others: the source, with its tokens, is the same.
    withMapping: async (text) => {
      const tried = (await config.withMapping(settings.name, text)).syncs[settings.name] ?? settings;
      const other = { ...tried, source: settings.source };
      return {
        ...sync,
        settings: other,
        mapping: compile(other),
        configuration: configurationOf(other, dialect),
        fingerprint: fingerprintOf(other, connection.settings),
      };
    },
    configuration: configurationOf(settings, dialect),
    platform,
    dialect,
    limits: callLimits,
    fingerprint: fingerprintOf(settings, connection.settings),
    ...(settings.freeze === undefined ? {} : { frozenUntil: openWindows(settings.freeze) }),
    deliveries: {
      csv: openUploads(deliveryIo),
      direct: openDirect(deliveryIo),
      outbox: openOutbox(deliveryIo),
      leaders: openLeaders(deliveryIo),
    },
  };
  return sync;
}

/** Counts the activity of connections for every attached receiver. Only a process that serves or sends metrics loads them. */
interface Meter extends Metrics {
  attach(metrics: Metrics): void;
  readonly countRequests: CountRequests;
}

export function openMeter(): Meter {
  const attached: Metrics[] = [];
  const counting = new AsyncLocalStorage<(purpose: RequestPurpose) => void>();
  return {
    attach: (metrics) => {
      attached.push(metrics);
    },
    countRequests(count, work) {
      const outer = counting.getStore();
      const both = (purpose: RequestPurpose): void => {
        outer?.(purpose);
        count(purpose);
      };
      return counting.run(both, work);
    },
    requestEnded(request) {
      counting.getStore()?.(request.purpose);
      for (const metrics of attached) metrics.requestEnded(request);
    },
    tokenPresented(connection, outcome) {
      for (const metrics of attached) metrics.tokenPresented(connection, outcome);
    },
  };
}

export function accessTo({ platform, settings, clientOptions, tokenManager, revoke }: Connection): ConnectionAccess {
  const tokens = {
    status: () => tokenManager.status(),
    refresh: (signal: AbortSignal) => tokenManager.refresh(signal),
    revoke: (signal: AbortSignal) => tokenManager.revoke(revoke, signal),
  };
  return {
    platform,
    tokens,
    dialect: { used: settings.dialect, written: settings.writtenDialect },
    async learn(order) {
      // Loaded only when needed: no other command uses it.
      const { learnPlatform } = await import('../platform/learn/learn-platform.ts');
      return learnPlatform({ ...order, connection: clientOptions, tokens: tokenManager, fileOf: provisioningBytes });
    },
  };
}

/** Loads what only a command that calls the platform by hand uses. */
const namedCall = () => import('../platform/client/named-call.ts');

export function platformApiOf(connections: ReadonlyMap<string, Connection>): PlatformApi {
  return {
    call: async (request, signal) =>
      (await namedCall()).callApi(findConnection(request.connection, connections), request, signal),
    async target(request, signal) {
      const connection = findConnection(request.connection, connections);
      return (await namedCall()).targetOf(
        { ...connection, baseUrl: connection.clientOptions.baseUrl },
        request,
        signal,
      );
    },
  };
}
