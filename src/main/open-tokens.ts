import { randomBytes } from 'node:crypto';
import { randomShare } from '../platform/client/defaults.ts';
import { openTokenManager } from '../platform/tokens/open-token-manager.ts';
import type { TokenManager, TokenManagerOptions } from '../platform/tokens/token-manager.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { Clock, Logger } from '../ports/runtime.ts';
import type { Store } from '../ports/store.ts';
import type { Seal } from '../ports/tokens.ts';

/** What every token manager of this process shares. */
export interface TokenParts {
  readonly store: Store;
  readonly seal: Seal | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly mayPresentSeed: boolean;
  readonly mayPresentRestored?: boolean;
  readonly metrics: Metrics;
}

type SharedOptions =
  | 'store'
  | 'leases'
  | 'seal'
  | 'clock'
  | 'newOwner'
  | 'mayPresentSeed'
  | 'mayPresentRestored'
  | 'random';

/** Opens a token manager over the store, and counts how its presentations end. */
export function openTokens(own: Omit<TokenManagerOptions, SharedOptions>, parts: TokenParts): TokenManager {
  const { store, seal, clock, mayPresentSeed, mayPresentRestored = false, metrics } = parts;
  return openTokenManager({
    ...own,
    store: store.tokens,
    leases: store.leases,
    exchange: async (refreshToken, signal) => {
      const outcome = await own.exchange(refreshToken, signal);
      metrics.tokenPresented(own.connection, outcome.kind);
      return outcome;
    },
    seal,
    clock,
    newOwner: () => randomBytes(8).toString('hex'),
    mayPresentSeed,
    mayPresentRestored,
    random: randomShare,
  });
}
