import { RollcallError } from '../../core/run/errors.ts';
import type { Clock, Logger } from '../../ports/runtime.ts';
import type { Leases, TokenRecord, TokenStore } from '../../ports/store.ts';
import type { AccessTokens, Seal, TokenExchange, TokenStatus } from '../../ports/tokens.ts';
import { confirmRevoked, type RevokeCall } from './revoke.ts';
import { describeStaticToken } from './status.ts';
import { programTokenName } from './token-errors.ts';

export interface TokenManagerOptions {
  readonly connection: string;
  readonly store: TokenStore;
  readonly leases: Pick<Leases, 'take' | 'release'>;
  readonly exchange: TokenExchange;
  /** Required unless the connection has a static access token. */
  readonly seal: Seal | undefined;
  readonly clock: Clock;
  /** Returns a new owner name for each lease, unique across processes. */
  readonly newOwner: () => string;
  readonly configuredRefreshToken: string | undefined;
  readonly staticAccessToken: string | undefined;
  /** Whether this command may consume the configured first token. */
  readonly mayPresentSeed: boolean;
  /** Whether this command confirms a pair that was restored from a backup. `refresh` always does. */
  readonly mayPresentRestored?: boolean;
  /** After this time without an answer the exchange counts as lost. */
  readonly httpTimeoutMs: number;
  readonly logger: Logger;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

/** Manages one connection's tokens: the access tokens that calls use, and the commands of `rollcall token`. */
export interface TokenManager extends AccessTokens {
  /** Reads the state only. Sends nothing to the platform. `rows`: see `Vault`. */
  status(rows?: ReadonlyMap<string, TokenRecord>): Promise<TokenStatus>;
  /** Refreshes now, whatever the state; also leaves `revoked`. Throws like `current`. */
  refresh(signal: AbortSignal): Promise<TokenStatus>;
  /**
   * Stores `revoked`, then asks the platform to invalidate the access token. Throws `PLATFORM_REFUSED` or
   * `PLATFORM_FAILED` when the platform does not confirm it. `revoked` stays stored, and a second call is safe.
   */
  revoke(callRevoke: RevokeCall, signal: AbortSignal): Promise<TokenStatus>;
  /** Waits for a refresh in progress. A process that exits without this may lose an answer. */
  close(): Promise<void>;
}

/** Waits before an accepted token that is refused is tried again (ms), because one server of the platform may not know it. */
const triesAgainMs = [1000, 4000, 15_000];

/** Manages a configured access token: stores nothing and refreshes nothing. */
export function staticTokenManager(connection: string, accessToken: string, clock: Clock): TokenManager {
  // How often it was refused since it was accepted. A token that was never accepted is not tried again.
  let refusals = triesAgainMs.length;
  const status = describeStaticToken(connection, accessToken);
  const isProgram = connection === programTokenName;
  const name = isProgram ? 'this program' : `connection ${connection}`;
  const remedy = isProgram
    ? 'Give connectPlatform a valid one (accessToken), or tokens that are refreshed (tokens).'
    : `Put a valid one in the configuration (connections.${connection}.accessToken), or a refreshToken in its place.`;
  const cannotRefresh = (why: string) => new RollcallError(`${why} ${remedy}`, { code: 'TOKEN_UNAVAILABLE' });
  return {
    current: () => Promise.resolve({ secret: accessToken, generation: 0 }),
    renew: () => Promise.reject(cannotRefresh(`the platform refused the configured access token of ${name} (401).`)),
    async outwait(_, signal) {
      const waitMs = triesAgainMs[refusals];
      if (waitMs === undefined) return false;
      refusals += 1;
      await clock.sleep(waitMs, signal);
      return true;
    },
    accepted: () => {
      refusals = 0;
    },
    status: () => Promise.resolve(status),
    refresh: () => Promise.reject(cannotRefresh(`${name} has a configured access token, which cannot be refreshed.`)),
    async revoke(callRevoke, signal) {
      await confirmRevoked(connection, callRevoke, accessToken, signal);
      return status;
    },
    close: () => Promise.resolve(),
  };
}
