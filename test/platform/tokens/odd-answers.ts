import { RollcallError } from '../../../src/core/run/errors.ts';
import { exchangeRefreshToken } from '../../../src/platform/tokens/calls.ts';
import { openTokenManager } from '../../../src/platform/tokens/open-token-manager.ts';
import { openSeal } from '../../../src/platform/tokens/seal.ts';
import type { TokenManager } from '../../../src/platform/tokens/token-manager.ts';
import { type Clock, silentLogger } from '../../../src/ports/runtime.ts';
import type { Store, TokenStore } from '../../../src/ports/store.ts';
import type { ExchangeOutcome } from '../../../src/ports/tokens.ts';
import { parseFault, type RunningSandbox, startSandbox } from '../../../src/sandbox/index.ts';
import { openStore } from '../../../src/store/index.ts';
import { judgeToken } from '../../../src/watch/alerts/judge-service.ts';
import { someInstant } from '../../support/fake-clock.ts';
import { leaseMs, never, testKey } from './token-manager-bench.ts';

/** An answer of the token endpoint, and the fault with which the sandbox gives it. */
export interface OddCase {
  readonly name: string;
  readonly fault: string;
  /** The platform has used the token up, and no pair can be read from the answer. */
  readonly isLost?: boolean;
}

const merge = (members: object) => `token:merge=${JSON.stringify(members)}`;

export const oddCases: readonly OddCase[] = [
  { name: 'a correct pair', fault: 'token:slow=0' },
  { name: '400 `invalid_grant`', fault: 'token:invalid_grant' },
  { name: '500', fault: 'token:status=500' },
  { name: '502 with HTML', fault: 'token:page=502' },
  { name: '200 with HTML', fault: 'token:page=200' },
  { name: '200, cut JSON', fault: 'token:instead={"access_token":"ab' },
  { name: '200, wrong shape', fault: 'token:instead=["token"]' },
  { name: '200 with `{}`', fault: 'token:instead={}' },
  { name: 'redirect (302)', fault: 'token:redirect=http://127.0.0.1:9/login' },
  { name: 'redirect (308)', fault: 'token:status=308' },
  { name: '401', fault: 'token:status=401' },
  { name: '404', fault: 'token:absent' },
  { name: '429 with `Retry-After: 600`', fault: 'token:status=429;retry-after=600' },
  { name: 'connection reset', fault: 'token:reset-before-commit' },
  { name: '500, after the token was used', fault: 'token:status-after-commit=500', isLost: true },
  { name: '200 with HTML, after the token was used', fault: 'token:html', isLost: true },
  { name: 'cut JSON, after the token was used', fault: 'token:truncate-json', isLost: true },
  { name: 'connection reset, after the token was used', fault: 'token:reset-after-commit', isLost: true },
  { name: 'pair, `expires_in` is text', fault: merge({ expires_in: 'soon' }) },
  { name: 'pair, `expires_in` is a number as text', fault: merge({ expires_in: '3600' }) },
  { name: 'pair, `expires_in` absent', fault: merge({ expires_in: null }) },
  { name: 'pair, `expires_in` 0', fault: merge({ expires_in: 0 }) },
  { name: 'pair, `expires_in` negative', fault: merge({ expires_in: -3600 }) },
  { name: 'pair, `expires_in` huge', fault: merge({ expires_in: 1e300 }) },
  { name: 'pair, `expires_in` an object', fault: merge({ expires_in: { seconds: 3600 } }) },
  { name: 'pair without `token_type`', fault: merge({ token_type: null }) },
  { name: 'pair with another `token_type`', fault: merge({ token_type: 'mac' }) },
  { name: 'pair with extra fields', fault: merge({ scope: 'all', user: { name: 'Ana' } }) },
  { name: 'pair with a line feed in `access_token`', fault: merge({ access_token: 'top\nsecret' }) },
  { name: 'pair with a letter outside ASCII in `access_token`', fault: merge({ access_token: 'topsecrét' }) },
  { name: 'pair without `access_token`', fault: merge({ access_token: null }) },
];

export const times = [1, 2, 10] as const;
export const kills = ['none', 'before', 'after'] as const;

type Kill = (typeof kills)[number];

/** What happens after the n-th odd answer in a row. */
export interface Cell {
  readonly case: OddCase;
  readonly time: number;
  readonly kill: Kill;
  /** The token that is presented next; none after a lock-out. */
  readonly next: 'same' | 'new' | 'none';
  readonly waitMs: number;
  readonly end: ExchangeOutcome['kind'] | 'none';
  readonly state: string;
  readonly reason: string | undefined;
  readonly alert: string;
  /** How often the platform saw the token of the n-th presentation. */
  readonly seen: number;
}

/** A clock that only the table moves: a wait ends by its signal, or never. */
class TableClock implements Clock {
  #now = someInstant;
  now = () => this.#now;
  advance(ms: number): void {
    this.#now += ms;
  }
  sleep(_ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason), { once: true }));
  }
}

const hour = 3_600_000;

/** A sandbox over HTTP, a real store, and one connection for each cell of the table. */
class OddWorld {
  readonly #clock: TableClock;
  readonly #sandbox: RunningSandbox;
  readonly #store: Store;
  #connections = 0;

  constructor(clock: TableClock, sandbox: RunningSandbox, store: Store) {
    this.#clock = clock;
    this.#sandbox = sandbox;
    this.#store = store;
  }

  async cell(odd: OddCase, time: number, kill: Kill): Promise<Cell> {
    const clock = this.#clock;
    const connection = `c${++this.#connections}`;
    const seed = this.#sandbox.authorize().refreshToken;
    const presented: { readonly token: string; end: ExchangeOutcome['kind'] }[] = [];
    const open = (store: TokenStore = this.#store.tokens) => this.#open({ connection, seed, presented, store });
    this.#sandbox.setFaults([]);
    await open().current(never);
    clock.advance(hour);
    this.#sandbox.setFaults([parseFault(odd.fault)]);
    for (let i = 1; i < time; i++) {
      await open().current(never).catch(expected);
      await this.#toNextTry(open());
    }
    if (kill === 'none') await open().current(never).catch(expected);
    else await killed(this.#store.tokens, kill, (store) => open(store).current(never));
    const { token = '' } = presented.at(-1) ?? {};
    const status = await open().status();
    const problem = judgeToken({ connection, token: status, now: clock.now() });
    const alert = problem === undefined || problem === 'well' ? 'none' : `${problem.severity}, ${problem.key}`;

    this.#sandbox.setFaults([]);
    const count = presented.length;
    const from = clock.now();
    if (kill !== 'none') clock.advance(leaseMs);
    for (let i = 0; i < 3 && presented.length === count; i++) {
      const error = await open()
        .current(never)
        .then(() => undefined, expected);
      if (error?.code === 'REAUTH_REQUIRED') break;
      if (typeof error?.retry === 'object') clock.advance(error.retry.afterMs);
      else if (presented.length === count) await this.#toNextTry(open());
    }
    const next = presented[count];
    return {
      case: odd,
      time,
      kill,
      next: next === undefined ? 'none' : next.token === token ? 'same' : 'new',
      waitMs: clock.now() - from,
      end: next?.end ?? 'none',
      state: status.state,
      reason: status.reason,
      alert,
      seen: presented.filter((one) => one.token === token).length,
    };
  }

  /** Moves time on to when the next presentation is due. */
  async #toNextTry(manager: TokenManager): Promise<void> {
    const { retryAt, expiresAt = 0 } = await manager.status();
    this.#clock.advance(Math.max(0, (retryAt ?? expiresAt) - this.#clock.now()));
  }

  #open(parts: {
    readonly connection: string;
    readonly seed: string;
    readonly presented: { readonly token: string; end: ExchangeOutcome['kind'] }[];
    readonly store: TokenStore;
  }): TokenManager {
    const { url: baseUrl, applicationToken } = this.#sandbox;
    const now = this.#clock.now;
    return openTokenManager({
      connection: parts.connection,
      store: parts.store,
      leases: this.#store.leases,
      exchange: async (refreshToken, signal) => {
        const call = { baseUrl, timeoutMs: 5000, applicationToken, refreshToken, expiresIn: 'seconds', now } as const;
        const outcome = await exchangeRefreshToken(call, signal);
        parts.presented.push({ token: refreshToken, end: outcome.kind });
        return outcome;
      },
      seal: openSeal(testKey),
      clock: this.#clock,
      newOwner: () => crypto.randomUUID(),
      configuredRefreshToken: parts.seed,
      staticAccessToken: undefined,
      mayPresentSeed: true,
      httpTimeoutMs: leaseMs - 15_000,
      logger: silentLogger,
      random: () => 0.5,
    });
  }
}

/** Runs `work` until it stores an answer, and never lets it go on from there. After a lock-out there is nothing to store. */
function killed(tokens: TokenStore, kill: 'before' | 'after', work: (store: TokenStore) => Promise<unknown>) {
  return new Promise<void>((resolve, reject) => {
    const store: TokenStore = {
      get: tokens.get,
      replace: async (seen, next, room) => {
        if (room !== undefined) return tokens.replace(seen, next, room);
        if (kill === 'after') await tokens.replace(seen, next);
        resolve();
        return new Promise(() => {});
      },
    };
    work(store).then(
      () => reject(new Error('nothing was stored')),
      (error: unknown) => (expected(error).code === 'REAUTH_REQUIRED' ? resolve() : reject(error)),
    );
  });
}

function expected(error: unknown): RollcallError {
  if (error instanceof RollcallError) return error;
  throw error;
}

/** Runs every cell of these cases, in order. */
export async function runOddAnswers(cases: readonly OddCase[] = oddCases): Promise<readonly Cell[]> {
  const clock = new TableClock();
  const store = await openStore('sqlite::memory:', { folder: '.' });
  const sandbox = await startSandbox({ now: clock.now, accessTokenLifeMs: hour, people: [] });
  try {
    const world = new OddWorld(clock, sandbox, store);
    const cells: Cell[] = [];
    for (const odd of cases) {
      for (const time of times) for (const kill of kills) cells.push(await world.cell(odd, time, kill));
    }
    return cells;
  } finally {
    await sandbox.close();
    await store.close();
  }
}
