import { randomBytes } from 'node:crypto';
import { addressFault } from '../../core/run/addresses.ts';
import { RollcallError } from '../../core/run/errors.ts';
import { type Dialect, defaultDialect, defaultLimits, type Limits } from '../../core/run/settings.ts';
import { type Clock, type Logger, silentLogger } from '../../ports/runtime.ts';
import type { TokenStatus } from '../../ports/tokens.ts';
import type { TokenCustody } from '../custody/custody.ts';
import { openCustodyStore } from '../custody/custody.ts';
import { exchangeRefreshToken, revokeToken } from '../tokens/calls.ts';
import { openTokenManager } from '../tokens/open-token-manager.ts';
import { openSeal } from '../tokens/seal.ts';
import { programTokenName } from '../tokens/token-errors.ts';
import type { TokenManager } from '../tokens/token-manager.ts';
import { staticTokenManager } from '../tokens/token-manager.ts';
import { openPlatformApi, type PlatformApi } from './api.ts';
import { openPlatformClient, type PlatformClient } from './client.ts';
import { randomShare, realClock, unaborted } from './defaults.ts';

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
  /** Returns the same API, whose calls ask for answers in this language: `inLanguage('es').goals.get(…)`. */
  inLanguage(acceptLanguage: string): PlatformApi;
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
    inLanguage: (acceptLanguage) =>
      openPlatformApi({
        ...client,
        request: (operation, signal) => client.request({ ...operation, acceptLanguage }, signal),
      }),
    client,
    async close() {
      await close();
      await client.close();
    },
  };
}

/** Tokens that are refreshed while the program runs, and kept between its runs. */
export interface TokenRotation {
  /**
   * The first refresh token. It is presented once; after that the custody has its successors, and the same text here has
   * no effect. A new text replaces the stored pair, for example after `REAUTH_REQUIRED`.
   */
  readonly refreshToken?: string;
  readonly custody: TokenCustody;
  /** Seals the stored tokens: 32 bytes in base64 (`openssl rand -base64 32`). Keep it apart from the custody. */
  readonly encryptionKey: string;
}

/** The tokens of a connection. Calls refresh them without any of this. */
export interface ConnectionTokens {
  /** Reads the state only. Sends nothing. Holds no secret. */
  status(): Promise<TokenStatus>;
  /** Refreshes now, whatever the state. Throws `REAUTH_REQUIRED` when the platform refuses the refresh token. */
  refresh(signal?: AbortSignal): Promise<TokenStatus>;
  /** Stores `revoked`, then asks the platform to invalidate the access token. */
  revoke(signal?: AbortSignal): Promise<TokenStatus>;
}

interface TokenParts {
  readonly baseUrl: string;
  readonly applicationToken?: string;
  readonly dialect: Dialect;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Opens the tokens of a program's connection: a fixed access token, or a rotation. Does nothing until one is needed. */
function openConnectionTokens(kept: string | TokenRotation, parts: TokenParts) {
  const { baseUrl, limits, clock } = parts;
  const manager =
    typeof kept === 'string' ? staticTokenManager(programTokenName, kept, clock) : openRotation(kept, parts);
  const endpoint = { baseUrl, timeoutMs: limits.timeoutMs, now: () => clock.now() };
  return {
    manager,
    tokens: {
      status: () => manager.status(),
      refresh: async (signal = unaborted()) => manager.refresh(signal),
      revoke: async (signal = unaborted()) =>
        manager.revoke((accessToken, stop) => revokeToken({ ...endpoint, accessToken }, stop), signal),
    },
    async close() {
      await manager.close();
      if (typeof kept !== 'string') await kept.custody.close();
    },
  };
}

function openRotation({ refreshToken, custody, encryptionKey }: TokenRotation, parts: TokenParts): TokenManager {
  const { baseUrl, applicationToken, dialect, limits, clock, logger } = parts;
  if (applicationToken === undefined) {
    const message =
      'applicationToken is required with tokens, because the platform exchanges a refresh token only with it';
    throw new RollcallError(message, { code: 'CONFIG_INVALID' });
  }
  const endpoint = { baseUrl, timeoutMs: limits.timeoutMs, now: () => clock.now(), applicationToken };
  const { tokens, leases } = openCustodyStore(custody);
  return openTokenManager({
    connection: programTokenName,
    store: tokens,
    leases,
    exchange: (token, signal) =>
      exchangeRefreshToken({ ...endpoint, refreshToken: token, expiresIn: dialect.expiresIn }, signal),
    seal: openSeal(encryptionKey),
    clock,
    newOwner: () => randomBytes(8).toString('hex'),
    configuredRefreshToken: refreshToken,
    staticAccessToken: undefined,
    mayPresentSeed: true,
    httpTimeoutMs: limits.timeoutMs,
    logger,
    random: randomShare,
  });
}
