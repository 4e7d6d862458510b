/**
 * A process that calls the platform again and again with the token that all of its kind share: `use-token.ts ORDER`, the
 * order as JSON (`TokenOrder`). Prints `ready` after the first call that was accepted, `began <epoch ms>` before it
 * presents a refresh token, `over` when the answer is stored, and at SIGTERM one JSON line (`TokenReport`).
 */

import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import { RollcallError } from '../../src/core/run/errors.ts';
import { defaultDialect } from '../../src/core/run/settings.ts';
import { systemClock as clock } from '../../src/main/process.ts';
import { openPlatformClient } from '../../src/platform/client/client.ts';
import { openPlatform } from '../../src/platform/platform.ts';
import { exchangeRefreshToken } from '../../src/platform/tokens/calls.ts';
import { openTokenManager } from '../../src/platform/tokens/open-token-manager.ts';
import { openSeal } from '../../src/platform/tokens/seal.ts';
import { silentLogger as logger } from '../../src/ports/runtime.ts';
import { openStore } from '../../src/store/index.ts';

export interface TokenOrder {
  readonly store: string;
  readonly folder: string;
  readonly baseUrl: string;
  readonly applicationToken: string;
  readonly refreshToken: string;
  readonly timeoutMs: number;
}

export interface TokenReport {
  readonly accepted: number;
  /** Calls that failed, by error code. */
  readonly failed: Readonly<Record<string, number>>;
}

const pauseMs = 20;
const order = JSON.parse(process.argv[2] ?? '{}') as TokenOrder;
const { baseUrl, applicationToken, timeoutMs } = order;
const stopping = new AbortController();
process.once('SIGTERM', () => stopping.abort(new Error('asked to stop')));

/** Written at once, not when the process gets round to it. */
function tell(line: string): void {
  writeSync(1, `${line}\n`);
}

const store = await openStore(order.store, { folder: order.folder });
const tokenManager = openTokenManager({
  connection: 'acme',
  store: {
    ...store.tokens,
    replace: async (seen, next) => {
      const isReplaced = await store.tokens.replace(seen, next);
      if (isReplaced) tell(next.state === 'refreshing' ? `began ${next.refreshStartedAt}` : 'over');
      return isReplaced;
    },
  },
  leases: store.leases,
  exchange: (refreshToken, signal) => {
    const call = { baseUrl, timeoutMs, applicationToken, refreshToken, expiresIn: 'milliseconds' } as const;
    return exchangeRefreshToken({ ...call, now: () => clock.now() }, signal);
  },
  seal: openSeal(Buffer.alloc(32, 7).toString('base64')),
  clock,
  newOwner: randomUUID,
  configuredRefreshToken: order.refreshToken,
  staticAccessToken: undefined,
  mayPresentSeed: true,
  httpTimeoutMs: timeoutMs,
  logger,
  random: Math.random,
});
const limits = { requestsPerSecond: 1000, concurrency: 4, timeoutMs };
const client = openPlatformClient({ baseUrl, dialect: defaultDialect, limits, tokens: tokenManager, clock, logger });
const platform = openPlatform(client);
const failed: Record<string, number> = {};
let accepted = 0;
while (!stopping.signal.aborted) {
  try {
    await platform.find('E1', stopping.signal);
    accepted += 1;
    if (accepted === 1) tell('ready');
  } catch (error) {
    if (stopping.signal.aborted) break;
    const code = error instanceof RollcallError ? error.code : String(error);
    failed[code] = (failed[code] ?? 0) + 1;
  }
  await clock.sleep(pauseMs);
}
await tokenManager.close();
await client.close();
await store.close();
const report: TokenReport = { accepted, failed };
tell(JSON.stringify(report));
