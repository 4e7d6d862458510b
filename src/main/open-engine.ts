import type { Config } from '../config/config.ts';
import { openExpressionThread } from '../config/expression-thread.ts';
import type { EngineIo } from '../engine/engine-io.ts';
import type { TokenManager } from '../platform/tokens/token-manager.ts';
import type { Egress } from '../ports/egress.ts';
import type { Checkpoint, Clock, Logger, NewId } from '../ports/runtime.ts';
import { openFileSpool } from '../store/file-spool.ts';
import { openStore } from '../store/index.ts';
import { openScratchFolder } from '../store/scratch-folder.ts';
import { type Connection, openConnection } from './open-connection.ts';
import { type Meter, openMeter } from './open-meter.ts';
import { openSeals } from './open-seals.ts';
import { openSourceTokens } from './open-source-tokens.ts';
import { openSync } from './open-sync.ts';

export interface EngineParts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly newId: NewId;
  readonly checkpoint: Checkpoint;
  /** Whether this command may present the configured first refresh token (design, "Tokens"). */
  readonly mayPresentSeed: boolean;
  /** The proxies of the environment. Absent: none. */
  readonly egress?: Egress;
}

export interface Engine {
  readonly io: EngineIo;
  readonly connections: ReadonlyMap<string, Connection>;
  /** Counts the activity of the connections. */
  readonly meter: Meter;
  readonly egress: Egress | undefined;
  close(): Promise<void>;
}

/** Opens the store, every connection and every sync of a configuration. Sends no request. Must be closed. */
export async function openEngine(config: Config, parts: EngineParts): Promise<Engine> {
  const scratchFolder = await openScratchFolder(config.folder, parts.clock.now());
  const { folder } = config;
  const { clock, logger, newId, checkpoint } = parts;
  const { all: seals, tokens: seal } = openSeals(config);
  const store = await openStore(config.store, { folder, clock, logger, seals });
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
    io: { store, syncs, clock, logger, newId, openSpool, retention: config.retention, checkpoint, progress: () => {} },
    connections,
    meter,
    egress: parts.egress,
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
