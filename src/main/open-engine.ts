import type { Config } from '../config/config.ts';
import { openExpressionThread } from '../config/expression-thread.ts';
import type { TokenManager } from '../platform/tokens/token-manager.ts';
import type { Checkpoint, Clock, Egress, Logger, NewId, Uptime } from '../ports/runtime.ts';
import type { Tracing } from '../ports/tracing.ts';
import type { EngineIo } from '../run/engine-io.ts';
import { openFileSpool } from '../store/file-spool.ts';
import { openStoreWithClock } from '../store/index.ts';
import { openScratchFolder } from '../store/scratch-folder.ts';
import { type Connection, openConnection } from './open-connection.ts';
import { type Meter, openMeter } from './open-meter.ts';
import { openSeals } from './open-seals.ts';
import { openSourceTokens } from './open-source-tokens.ts';
import { openSync } from './open-sync.ts';

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
export async function openEngine(config: Config, given: EngineParts): Promise<Engine> {
  const scratchFolder = await openScratchFolder(config.folder, given.clock.now());
  const { folder } = config;
  const { logger, newId, checkpoint } = given;
  const { all: seals, tokens: seal } = openSeals(config);
  const { store, clock: storeClock } = await openStoreWithClock(config.store, {
    ...given,
    folder,
    seals,
    connections: config.workers.storeConnections,
  });
  const clock: Clock = { ...storeClock, sleep: (ms, signal) => given.clock.sleep(ms, signal) };
  const parts: EngineParts = { ...given, clock };
  // The Redis client is loaded only where it is used.
  const budgets =
    config.redis === undefined ? undefined : (await import('./open-budgets.ts')).openBudgets(config.redis, parts);
  const meter = openMeter();
  const connections = new Map(
    Object.values(config.connections).map((settings) => {
      const budget = budgets?.of(settings.name, settings.limits);
      return [
        settings.name,
        openConnection(settings, {
          ...parts,
          store,
          seal,
          metrics: meter,
          ...(budget === undefined ? {} : { budget }),
        }),
      ];
    }),
  );
  const thread = openExpressionThread();
  const sourceTokens: TokenManager[] = [];
  const syncs = new Map(
    Object.values(config.syncs).map((settings) => [
      settings.name,
      openSync(
        settings,
        config,
        { connections, thread },
        {
          folder: config.folder,
          scratchFolder,
          ...(parts.egress === undefined ? {} : { egress: parts.egress }),
          openTokens: (grant) => {
            const manager = openSourceTokens(settings.name, grant, { ...parts, store, seal, metrics: meter });
            sourceTokens.push(manager);
            return manager;
          },
        },
      ),
    ]),
  );
  const openSpool = () => openFileSpool(scratchFolder);
  return {
    io: {
      ...{ store, syncs, clock, logger, newId, openSpool, checkpoint },
      retention: config.retention,
      progress: () => {},
      countRequests: meter.countRequests,
    },
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
