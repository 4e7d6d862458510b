import { PlatformError, type RollcallError } from '../../src/core/run/errors.ts';
import { openTokenManager } from '../../src/platform/tokens/open-token-manager.ts';
import { openSeal } from '../../src/platform/tokens/seal.ts';
import { silentLogger } from '../../src/ports/runtime.ts';
import type { Store } from '../../src/ports/store.ts';
import type { TokenExchange } from '../../src/ports/tokens.ts';
import { TokenServer } from '../platform/tokens/token-server.ts';
import type { Life, Scheduler } from './scheduler.ts';

const key = Buffer.alloc(32, 5).toString('base64');

interface Presentation {
  /** When the process began to send it. */
  readonly begunAt: number;
  readonly life: Life;
  isLost: boolean;
}

/** The strict token server of the world, the token manager that each process has of its pair, and what was presented (I6). */
export class TokenDesk {
  /** Chance that a refresh, or its answer, is lost. */
  lost = 0;
  readonly #server = new TokenServer();
  readonly #presented = new Map<string, Presentation[]>();
  readonly #scheduler: Scheduler;
  readonly #onBroken: (what: string) => void;
  #seed: string;
  #owners = 0;

  constructor(scheduler: Scheduler, onBroken: (what: string) => void) {
    this.#scheduler = scheduler;
    this.#onBroken = onBroken;
    this.#seed = this.#server.issueSeed();
  }

  /** A person puts a new first token into the configuration: processes that start from now on have it. */
  reseed(): void {
    this.#seed = this.#server.issueSeed();
  }

  forgetAccessTokens(): void {
    this.#server.forgetAccessTokens();
  }

  /** What a process does before each call to the platform: it throws when there is no token to be had. */
  openFor(life: Life, store: Pick<Store, 'tokens' | 'leases'>): (signal: AbortSignal) => Promise<void> {
    const scheduler = this.#scheduler;
    const tokenManager = openTokenManager({
      connection: 'acme',
      store: store.tokens,
      leases: store.leases,
      exchange: this.#exchangeOf(life),
      seal: openSeal(key),
      clock: scheduler.clockOf(life),
      newOwner: () => {
        this.#owners += 1;
        return `${life.name}-${this.#owners}`;
      },
      configuredRefreshToken: this.#seed,
      staticAccessToken: undefined,
      mayPresentSeed: true,
      httpTimeoutMs: 10_000,
      logger: silentLogger,
      random: scheduler.random,
    });
    return async (signal) => {
      let token = await tokenManager.current(signal);
      if (!this.#server.accepts(token.secret)) token = await tokenManager.renew(token.generation, signal);
      if (!this.#server.accepts(token.secret)) throw unauthorized();
      tokenManager.accepted(token.generation);
    };
  }

  #exchangeOf(life: Life): TokenExchange {
    return async (token, signal) => {
      const scheduler = this.#scheduler;
      const fate = scheduler.chance(this.lost)
        ? scheduler.pick(['answer-lost', 'lost-before', 'not-sent'] as const)
        : 'answered';
      const one: Presentation = { begunAt: scheduler.now(), life, isLost: fate !== 'answered' };
      await scheduler.pass(life);
      if (fate !== 'not-sent') this.#note(token, one);
      const outcome = this.#server.present(token, fate, scheduler.now());
      await scheduler.sleep(life, 2000 * scheduler.random());
      if (!signal.aborted) return outcome;
      one.isLost = true;
      return { kind: 'unknown', reason: 'aborted' };
    };
  }

  #note(token: string, one: Presentation): void {
    const former = this.#presented.get(token) ?? [];
    this.#presented.set(token, [...former, one]);
    const last = former.at(-1);
    if (last === undefined) return;
    // Whoever died, or stood still as a whole, may have had the answer and not stored it; or sent it when its lease was
    // nearly over, which no look at a clock before the sending can prevent.
    const isInDoubt = last.isLost || last.life.isDead || last.life.stoppedUntil > last.begunAt;
    if (!isInDoubt) this.#onBroken(`I6: ${token} is presented again although its answer arrived`);
  }
}

function unauthorized(): RollcallError {
  const operation = 'any';
  const options = { code: 'PLATFORM_UNAUTHORIZED', retry: 'backoff', effect: 'none', status: 401, operation } as const;
  return new PlatformError('the token is refused', options);
}
