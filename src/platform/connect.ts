import { setTimeout as wait } from 'node:timers/promises';
import { RollcallError } from '../core/errors.ts';
import { type Dialect, defaultDialect, defaultLimits, type Limits } from '../core/settings.ts';
import type { Clock, Logger } from '../ports/runtime.ts';
import type { AccessTokens } from '../ports/tokens.ts';
import { openPlatformApi, type PlatformApi } from './api.ts';
import { openPlatformClient, type PlatformClient } from './client.ts';

export interface ConnectOptions {
  readonly baseUrl: string;
  /** A community token that stays valid while the program runs. It is not refreshed. */
  readonly accessToken: string;
  readonly applicationToken?: string;
  /** Current time in epoch ms: `Date.now`. */
  readonly now: () => number;
  /** Where this platform differs from the defaults. */
  readonly dialect?: Partial<Dialect>;
  readonly limits?: Partial<Limits>;
  /** Receives a message for each retry. Default: none. */
  readonly logger?: Logger;
}

/** The whole API of one platform, ready to use. */
export interface PlatformConnection extends PlatformApi {
  /** For calls by name (`callOperation`), and for operations without a method. */
  readonly client: PlatformClient;
  /** Closes the sockets. A program ends only after that. */
  close(): Promise<void>;
}

/** Opens a connection for a program that runs once. Sends nothing yet. Must be closed. */
export function connectPlatform(options: ConnectOptions): PlatformConnection {
  const { baseUrl, accessToken, applicationToken, now, logger = silentLogger } = options;
  const client = openPlatformClient({
    baseUrl,
    dialect: { ...defaultDialect, ...options.dialect },
    limits: { ...defaultLimits, ...options.limits },
    tokens: fixedToken(accessToken),
    ...(applicationToken === undefined ? {} : { applicationToken }),
    clock: realClock(now),
    logger,
  });
  return { ...openPlatformApi(client), client, close: () => client.close() };
}

function fixedToken(secret: string): AccessTokens {
  return {
    current: async () => ({ secret, generation: 1 }),
    async renew() {
      const message = 'the access token was refused, and there is no other. Give the program a new one.';
      throw new RollcallError(message, { code: 'TOKEN_UNAVAILABLE' });
    },
    accepted() {},
  };
}

function realClock(now: () => number): Clock {
  return {
    now,
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      try {
        if (ms > 0) await wait(ms, undefined, signal === undefined ? {} : { signal });
      } catch (error) {
        throw signal?.aborted === true ? signal.reason : error;
      }
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
