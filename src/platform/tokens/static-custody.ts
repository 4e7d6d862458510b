import { confirmRevoked } from './revoke.ts';
import type { TokenStatus } from './status.ts';
import type { TokenCustody } from './token-custody.ts';
import { tokenUnavailable } from './token-errors.ts';

/** A connection whose access token stands in the configuration: nothing is stored, nothing can be refreshed. */
export function staticCustody(connection: string, accessToken: string): TokenCustody {
  const status: TokenStatus = {
    connection,
    state: 'static',
    generation: 0,
    issuedAt: undefined,
    expiresAt: undefined,
    attempts: 0,
    reason: undefined,
    advice: 'The access token stands in the configuration; it is used as it is and never refreshed.',
  };
  const cannotRefresh = (why: string) =>
    tokenUnavailable(
      connection,
      `${why} Put a valid one in the configuration (connections.${connection}.accessToken), or a refreshToken in its place.`,
      'never',
    );
  return {
    current: () => Promise.resolve({ secret: accessToken, generation: 0 }),
    renew: () => Promise.reject(cannotRefresh('the platform refused the configured access token (401).')),
    accepted: () => {},
    status: () => Promise.resolve(status),
    refresh: () => Promise.reject(cannotRefresh('a configured access token cannot be refreshed.')),
    async revoke(callRevoke, signal) {
      await confirmRevoked(connection, callRevoke, accessToken, signal);
      return status;
    },
    close: () => Promise.resolve(),
  };
}
