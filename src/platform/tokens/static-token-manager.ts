import { RollcallError } from '../../core/run/errors.ts';
import type { TokenStatus } from '../../ports/tokens.ts';
import { confirmRevoked } from './revoke.ts';
import { programTokenName } from './token-errors.ts';
import type { TokenManager } from './token-manager.ts';

/** Manages a configured access token: stores nothing and refreshes nothing. */
export function staticTokenManager(connection: string, accessToken: string): TokenManager {
  const status: TokenStatus = {
    connection,
    state: 'static',
    generation: 0,
    issuedAt: undefined,
    expiresAt: undefined,
    attempts: 0,
    retryAt: undefined,
    reason: undefined,
    advice: 'The access token is in the configuration. It is used unchanged and never refreshed.',
  };
  const isProgram = connection === programTokenName;
  const name = isProgram ? 'this program' : `connection ${connection}`;
  const remedy = isProgram
    ? 'Give connectPlatform a valid one (accessToken), or tokens that are refreshed (tokens).'
    : `Put a valid one in the configuration (connections.${connection}.accessToken), or a refreshToken in its place.`;
  const cannotRefresh = (why: string) => new RollcallError(`${why} ${remedy}`, { code: 'TOKEN_UNAVAILABLE' });
  return {
    current: () => Promise.resolve({ secret: accessToken, generation: 0 }),
    renew: () => Promise.reject(cannotRefresh(`the platform refused the configured access token of ${name} (401).`)),
    accepted: () => {},
    status: () => Promise.resolve(status),
    refresh: () => Promise.reject(cannotRefresh(`${name} has a configured access token, which cannot be refreshed.`)),
    async revoke(callRevoke, signal) {
      await confirmRevoked(connection, callRevoke, accessToken, signal);
      return status;
    },
    close: () => Promise.resolve(),
  };
}
