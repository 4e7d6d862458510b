import type { TokenManager } from '../platform/tokens/token-manager.ts';
import type { RefreshGrant } from '../ports/source.ts';
import { sourceTokenName } from '../ports/tokens.ts';
import { openTokens, type TokenParts } from './open-tokens.ts';

/** Opens the rotating tokens of a sync's source, kept in the store as `source <sync>` and refreshed as a connection's are. */
export function openSourceTokens(sync: string, grant: RefreshGrant, parts: TokenParts): TokenManager {
  const logger = parts.logger.child({ source: sync });
  return openTokens(
    {
      connection: sourceTokenName(sync),
      exchange: (refreshToken, signal) => grant.exchange(refreshToken, signal),
      configuredRefreshToken: grant.refreshToken,
      staticAccessToken: undefined,
      httpTimeoutMs: grant.timeoutMs,
      onAlert: (alert) => logger.error({ alert: alert.kind }, 'the source needs a new refresh token'),
      logger,
    },
    parts,
  );
}
