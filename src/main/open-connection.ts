import { randomBytes } from 'node:crypto';
import type { ConnectionSettings } from '../config/config.ts';
import { openPlatformClient, type PlatformClient, type PlatformClientOptions } from '../platform/client.ts';
import { openPlatform } from '../platform/platform.ts';
import { exchangeRefreshToken, revokeToken } from '../platform/resources/tokens.ts';
import { openTokenManager } from '../platform/tokens/open-token-manager.ts';
import type { RevokeCall } from '../platform/tokens/revoke-call.ts';
import type { Seal } from '../platform/tokens/seal.ts';
import type { TokenManager } from '../platform/tokens/token-manager.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { Platform } from '../ports/platform.ts';
import type { RateBudget } from '../ports/rate-budget.ts';
import type { Clock, Logger } from '../ports/runtime.ts';
import type { Store } from '../ports/store.ts';
import { random } from './system.ts';

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

export interface ConnectionParts {
  readonly store: Store;
  readonly seal: Seal | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly mayPresentSeed: boolean;
  /** The rate that every process of the deployment shares. Absent: this process has the whole rate of the connection. */
  readonly budget?: RateBudget;
  readonly metrics: Metrics;
}

export function openConnection(settings: ConnectionSettings, parts: ConnectionParts): Connection {
  const { store, seal, clock, metrics, budget, mayPresentSeed } = parts;
  const { name, baseUrl, dialect, limits } = settings;
  const logger = parts.logger.child({ connection: name });
  const applicationToken = settings.applicationToken?.reveal();
  const endpoint = { baseUrl, timeoutMs: limits.timeoutMs, now: () => clock.now() };
  const tokenManager = openTokenManager({
    connection: name,
    store: store.tokens,
    leases: store.leases,
    exchange: async (refreshToken, signal) => {
      const outcome = await exchangeRefreshToken(
        { ...endpoint, applicationToken: applicationToken ?? '', refreshToken, expiresIn: dialect.expiresIn },
        signal,
      );
      metrics.tokenPresented(name, outcome.kind);
      return outcome;
    },
    seal,
    clock,
    newOwner: () => randomBytes(8).toString('hex'),
    configuredRefreshToken: settings.refreshToken?.reveal(),
    staticAccessToken: settings.accessToken?.reveal(),
    mayPresentSeed,
    httpTimeoutMs: limits.timeoutMs,
    onAlert: (alert) =>
      logger.error({ alert: alert.kind }, 'the connection needs an operator: see "rollcall token status"'),
    // The token manager adds the connection to its log lines.
    logger: parts.logger,
    random,
  });
  const clientOptions: PlatformClientOptions = {
    baseUrl,
    dialect,
    limits,
    tokens: tokenManager,
    clock,
    logger,
    onRequest: (request) => metrics.requestEnded({ ...request, connection: name }),
    ...(applicationToken === undefined ? {} : { applicationToken }),
    ...(budget === undefined ? {} : { budget }),
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
