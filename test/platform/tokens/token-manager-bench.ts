import { openTokenManager } from '../../../src/platform/tokens/open-token-manager.ts';
import { openSeal } from '../../../src/platform/tokens/seal.ts';
import type { TokenManager, TokenManagerOptions } from '../../../src/platform/tokens/token-manager.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { type MemoryLogger, memoryLogger } from '../../support/memory-logger.ts';
import { type MemoryTokenStore, memoryTokenStore } from './memory-token-store.ts';
import { type CallEnd, TokenServer } from './token-server.ts';

export const connection = 'acme';
export const testKey = Buffer.alloc(32, 7).toString('base64');
export const httpTimeoutMs = 10_000;
/** What the token manager makes of the timeout. */
export const leaseMs = httpTimeoutMs + 15_000;

/** One platform, one store, one clock, and as many custodies ("processes") over them as a test wants. */
export interface Bench {
  readonly clock: FakeClock;
  readonly server: TokenServer;
  readonly store: MemoryTokenStore;
  readonly seed: string;
  readonly logger: MemoryLogger;
  /** What was logged as an error. */
  errors(): readonly string[];
  /** Fates of the next calls, in order; `answered` when it is empty. */
  readonly fates: CallEnd[];
  open(options?: Partial<TokenManagerOptions>): TokenManager;
}

export const never = new AbortController().signal;

export function openBench(): Bench {
  const clock = new FakeClock();
  const server = new TokenServer();
  const store = memoryTokenStore();
  const logger = memoryLogger();
  const fates: CallEnd[] = [];
  const seed = server.issueSeed();
  let owners = 0;
  return {
    clock,
    server,
    store,
    seed,
    logger,
    errors: () => logger.lines.flatMap(({ level, message }) => (level === 'error' ? [message] : [])),
    fates,
    open: (options = {}) =>
      openTokenManager({
        connection,
        store: store.tokens,
        leases: store.leases,
        exchange: server.exchange(
          () => clock.now(),
          () => fates.shift() ?? 'answered',
        ),
        seal: openSeal(testKey),
        clock,
        newOwner: () => `owner-${++owners}`,
        configuredRefreshToken: seed,
        staticAccessToken: undefined,
        mayPresentSeed: true,
        httpTimeoutMs,
        logger,
        random: () => 0.5,
        ...options,
      }),
  };
}
