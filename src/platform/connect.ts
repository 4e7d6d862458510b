import { addressFault } from '../core/run/addresses.ts';
import { RollcallError } from '../core/run/errors.ts';
import { type Dialect, defaultDialect, defaultLimits, type Limits } from '../core/run/settings.ts';
import type { Logger } from '../ports/runtime.ts';
import { openPlatformApi, type PlatformApi } from './client/api.ts';
import { openPlatformClient, type PlatformClient } from './client.ts';
import { type ConnectionTokens, openConnectionTokens, type TokenRotation } from './connection-tokens.ts';
import { realClock } from './real-clock.ts';

interface ConnectBase {
  readonly baseUrl: string;
  /** Accepts `http://` for another machine than this one. Tokens then travel in the clear. */
  readonly insecure?: boolean;
  /** Required with `tokens`, and by operations of the application. */
  readonly applicationToken?: string;
  /** Current time in epoch ms: `Date.now`. */
  readonly now: () => number;
  /** Where this platform differs from the defaults. */
  readonly dialect?: Partial<Dialect>;
  readonly limits?: Partial<Limits>;
  /** Receives a message for each retry, and what happens to the tokens. Default: none. */
  readonly logger?: Logger;
}

export type ConnectOptions = ConnectBase &
  (
    | {
        /** A community token that stays valid while the program runs. It is not refreshed. */
        readonly accessToken: string;
      }
    | {
        /** Tokens that are refreshed, and where they are kept. */
        readonly tokens: TokenRotation;
      }
  );

/** The whole API of one platform, ready to use. */
export interface PlatformConnection extends PlatformApi {
  readonly tokens: ConnectionTokens;
  /** For calls by name (`callOperation`), and for operations without a method. */
  readonly client: PlatformClient;
  /** Waits for a refresh in progress, and closes sockets and custody. A program ends only after that. */
  close(): Promise<void>;
}

/** Opens a connection. Sends nothing yet. Must be closed. Throws `CONFIG_INVALID` for options that cannot work. */
export function connectPlatform(options: ConnectOptions): PlatformConnection {
  const { baseUrl, insecure = false, applicationToken, now, logger = silentLogger } = options;
  const fault = addressFault(baseUrl, insecure);
  if (fault !== undefined) throw new RollcallError(`baseUrl ${fault}`, { code: 'CONFIG_INVALID' });
  const shared = {
    baseUrl,
    dialect: { ...defaultDialect, ...options.dialect },
    limits: { ...defaultLimits, ...options.limits },
    ...(applicationToken === undefined ? {} : { applicationToken }),
    clock: realClock(now),
    logger,
  };
  const kept = 'tokens' in options ? options.tokens : options.accessToken;
  const { manager, tokens, close } = openConnectionTokens(kept, shared);
  const client = openPlatformClient({ ...shared, tokens: manager });
  return {
    ...openPlatformApi(client),
    tokens,
    client,
    async close() {
      await close();
      await client.close();
    },
  };
}

const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silentLogger,
};
