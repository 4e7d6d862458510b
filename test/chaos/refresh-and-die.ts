/**
 * A process that refreshes one token once, and kills itself at the n-th instant of it: `refresh-and-die.ts ORDER`, the order
 * as JSON (`RefreshOrder`). Prints the name of each instant before it passes it, and `over` at the end.
 */
import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { exchangeRefreshToken } from '../../src/platform/tokens/calls.ts';
import { openTokenManager } from '../../src/platform/tokens/open-token-manager.ts';
import { openSeal } from '../../src/platform/tokens/seal.ts';
import { type Clock, silentLogger as logger } from '../../src/ports/runtime.ts';
import { openStore } from '../../src/store/index.ts';

export interface RefreshOrder {
  readonly store: string;
  readonly folder: string;
  readonly baseUrl: string;
  readonly applicationToken: string;
  readonly refreshToken: string;
  /** How far this process's clock is ahead. */
  readonly offsetMs: number;
  /** Ends before this instant, from 1. Instants beyond the last end nothing. */
  readonly dieAt: number;
}

const order = JSON.parse(process.argv[2] ?? '{}') as RefreshOrder;
const { baseUrl, applicationToken, offsetMs } = order;
const clock: Clock = {
  now: () => Date.now() + offsetMs,
  sleep: (ms, signal) => wait(ms, undefined, signal === undefined ? {} : { signal }),
};
let instant = 0;

function pass(name: string): void {
  instant += 1;
  writeSync(1, `${name}\n`);
  if (instant === order.dieAt) process.kill(process.pid, 'SIGKILL');
}

const watched =
  <A extends readonly unknown[], R>(name: string, work: (...args: A) => Promise<R>) =>
  async (...args: A): Promise<R> => {
    pass(`before ${name}`);
    const result = await work(...args);
    pass(`after ${name}`);
    return result;
  };

const { tokens, leases, close } = await openStore(order.store, { folder: order.folder });
const manager = openTokenManager({
  connection: 'acme',
  store: { get: watched('read', tokens.get), replace: watched('write', tokens.replace) },
  leases: { ...leases, take: watched('lease', leases.take), release: watched('release', leases.release) },
  exchange: watched('exchange', (refreshToken, signal) =>
    exchangeRefreshToken(
      { baseUrl, timeoutMs: 5000, applicationToken, refreshToken, expiresIn: 'seconds', now: clock.now },
      signal,
    ),
  ),
  seal: openSeal(Buffer.alloc(32, 7).toString('base64')),
  clock,
  newOwner: randomUUID,
  configuredRefreshToken: order.refreshToken,
  staticAccessToken: undefined,
  mayPresentSeed: true,
  httpTimeoutMs: 5000,
  logger,
  random: () => 0.5,
});
await manager.current(AbortSignal.timeout(30_000)).then(
  () => writeSync(1, 'over\n'),
  (error: { code?: string }) => writeSync(1, `failed ${error.code}\n`),
);
await manager.close();
await close();
