import { randomBytes } from 'node:crypto';
import { openTokenManager } from '../platform/tokens/open-token-manager.ts';
import type { Seal } from '../platform/tokens/seal.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { Clock, Logger } from '../ports/runtime.ts';
import type { RefreshGrant } from '../ports/source.ts';
import type { Store } from '../ports/store.ts';
import { sourceTokenName } from '../ports/token-store.ts';
import type { AccessTokens } from '../ports/tokens.ts';
import { random } from './system.ts';

export interface SourceTokenParts {
  readonly store: Store;
  readonly seal: Seal | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly mayPresentSeed: boolean;
  readonly metrics: Metrics;
}

/** Opens the rotating tokens of a sync's source, kept in the store as `source <sync>` and refreshed as a connection's are. */
export function openSourceTokens(sync: string, grant: RefreshGrant, parts: SourceTokenParts): AccessTokens {
  const { store, metrics } = parts;
  const name = sourceTokenName(sync);
  const logger = parts.logger.child({ source: sync });
  return openTokenManager({
    connection: name,
    store: store.tokens,
    leases: store.leases,
    exchange: async (refreshToken, signal) => {
      const outcome = await grant.exchange(refreshToken, signal);
      metrics.tokenPresented(name, outcome.kind);
      return outcome;
    },
    seal: parts.seal,
    clock: parts.clock,
    newOwner: () => randomBytes(8).toString('hex'),
    configuredRefreshToken: grant.refreshToken,
    mayPresentSeed: parts.mayPresentSeed,
    httpTimeoutMs: grant.timeoutMs,
    onAlert: (alert) => logger.error({ alert: alert.kind }, 'the source needs a new refresh token'),
    logger,
    random,
  });
}
