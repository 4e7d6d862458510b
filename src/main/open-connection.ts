import { getCACertificates } from 'node:tls';
import type { ConnectionAccess, PlatformApi } from '../app/app-io.ts';
import { findConnection } from '../app/find-named.ts';
import type { ConnectionSettings } from '../config/config.ts';
import { egressWith } from '../drivers/http/egress.ts';
import { openPlatformClient, type PlatformClient, type PlatformClientOptions } from '../platform/client/client.ts';
import { callApi, targetOf } from '../platform/client/named-call.ts';
import { openPlatform } from '../platform/platform.ts';
import { exchangeRefreshToken, revokeToken } from '../platform/tokens/calls.ts';
import type { RevokeCall } from '../platform/tokens/revoke.ts';
import type { TokenManager } from '../platform/tokens/token-manager.ts';
import type { Platform, RateBudget } from '../ports/platform.ts';
import type { Egress } from '../ports/runtime.ts';
import { openTokens, type TokenParts } from './open-tokens.ts';

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

export interface ConnectionParts extends TokenParts {
  /** The rate that every process of the deployment shares. Absent: this process has the whole rate of the connection. */
  readonly budget?: RateBudget;
  /** The proxies of the environment. */
  readonly egress?: Egress;
}

export function openConnection(settings: ConnectionSettings, parts: ConnectionParts): Connection {
  const { clock, metrics, budget } = parts;
  const { name, baseUrl, dialect, limits } = settings;
  const logger = parts.logger.child({ connection: name });
  const applicationToken = settings.applicationToken?.reveal();
  const ca = settings.ca === undefined ? undefined : withPublic(settings.ca);
  const way = {
    egress: egressWith(settings.proxy?.reveal(), parts.egress),
    ...(ca === undefined ? {} : { tls: { ca } }),
  };
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
      onAlert: (alert) =>
        logger.error({ alert: alert.kind }, 'the connection needs an operator: see "rollcall token status"'),
      // The token manager adds the connection to its log lines.
      logger: parts.logger,
    },
    parts,
  );
  const clientOptions: PlatformClientOptions = {
    baseUrl,
    dialect,
    limits,
    tokens: tokenManager,
    way,
    clock,
    logger,
    onRequest,
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

/** Node takes given authorities in place of its own. */
function withPublic(ca: string): string {
  return [...getCACertificates('default'), ca].join('\n');
}

/** Returns what the use cases do with one connection. */
export function accessTo({ platform, tokenManager, revoke }: Connection): ConnectionAccess {
  const tokens = {
    status: () => tokenManager.status(),
    refresh: (signal: AbortSignal) => tokenManager.refresh(signal),
    revoke: (signal: AbortSignal) => tokenManager.revoke(revoke, signal),
  };
  return { platform, tokens };
}

export function platformApiOf(connections: ReadonlyMap<string, Connection>): PlatformApi {
  return {
    call: async (request, signal) => callApi(findConnection(request.connection, connections), request, signal),
    async target(request, signal) {
      const connection = findConnection(request.connection, connections);
      return targetOf({ ...connection, baseUrl: connection.clientOptions.baseUrl }, request, signal);
    },
    async *contract(name, mode, signal) {
      const { clientOptions: connection } = findConnection(name, connections);
      // Loaded only when needed: no other command uses it.
      const { runContractSuite } = await import('../platform/contract-suite/contract-suite.ts');
      yield* runContractSuite({ connection, mode, signal });
    },
  };
}
