import { type Dialect, defaultDialect, type Limits } from '../../src/core/run/settings.ts';
import { openPlatformClient, type PlatformClient } from '../../src/platform/client/client.ts';
import { openPlatform } from '../../src/platform/platform.ts';
import type { Platform } from '../../src/ports/platform.ts';
import type { Clock } from '../../src/ports/runtime.ts';
import type { AccessToken, AccessTokens } from '../../src/ports/tokens.ts';
import { type MemoryLogger, memoryLogger } from '../support/memory-logger.ts';
import { slowly } from '../support/slowness.ts';
import { closeLater } from './closing.ts';

/** A clock for which sleeping takes no time: it moves on by what was slept. Remembers every sleep. */
export interface SkippingClock extends Clock {
  readonly sleeps: readonly number[];
}

export function skippingClock(start = Date.UTC(2026, 10, 21, 12)): SkippingClock {
  let now = start;
  const sleeps: number[] = [];
  return {
    sleeps,
    now: () => now,
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      sleeps.push(ms);
      now += ms;
    },
  };
}

/** Tokens `secret-1`, `secret-2`, …: each renewal gives the next. Remembers what was told. */
export interface CountingTokens extends AccessTokens {
  readonly renewals: readonly number[];
  readonly acceptedGenerations: readonly number[];
}

export function countingTokens(): CountingTokens {
  let generation = 1;
  const renewals: number[] = [];
  const acceptedGenerations: number[] = [];
  const token = (): AccessToken => ({ secret: `secret-${generation}`, generation });
  return {
    renewals,
    acceptedGenerations,
    current: async () => token(),
    async renew(refused) {
      renewals.push(refused);
      generation = refused + 1;
      return token();
    },
    accepted: (accepted) => void acceptedGenerations.push(accepted),
  };
}

/** A token that is never renewed by another one. `renewals` receives what was refused. */
export function fixedTokens(secret: string, renewals: number[] = []): AccessTokens {
  return {
    current: async () => ({ secret, generation: 1 }),
    async renew(refused) {
      renewals.push(refused);
      return { secret, generation: refused + 1 };
    },
    accepted: () => {},
  };
}

export interface TestClient {
  readonly client: PlatformClient;
  readonly platform: Platform;
  readonly clock: SkippingClock;
  readonly tokens: CountingTokens;
  readonly logger: MemoryLogger;
}

export interface TestClientOptions {
  readonly dialect?: Partial<Dialect>;
  readonly limits?: Partial<Limits>;
  readonly applicationToken?: string;
  readonly tokens?: AccessTokens;
  readonly clock?: Clock;
}

/** A client that never really waits between calls; closed when the test ends. */
export function openTestClient(baseUrl: string, options: TestClientOptions = {}): TestClient {
  const clock = skippingClock();
  const tokens = countingTokens();
  const logger = memoryLogger();
  const client = openPlatformClient({
    baseUrl,
    dialect: { ...defaultDialect, ...options.dialect },
    limits: { requestsPerSecond: 1000, concurrency: 4, timeoutMs: slowly(5_000), ...options.limits },
    tokens: options.tokens ?? tokens,
    ...(options.applicationToken === undefined ? {} : { applicationToken: options.applicationToken }),
    clock: options.clock ?? clock,
    logger,
    random: () => 0.5,
  });
  closeLater(() => client.close());
  return { client, platform: openPlatform(client), clock, tokens, logger };
}

/** A signal that nobody aborts. */
export const neverAborted: AbortSignal = new AbortController().signal;
