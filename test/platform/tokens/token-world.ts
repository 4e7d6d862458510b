import { RollcallError } from '../../../src/core/run/errors.ts';
import { openTokenManager } from '../../../src/platform/tokens/open-token-manager.ts';
import { openSeal } from '../../../src/platform/tokens/seal.ts';
import { openVault } from '../../../src/platform/tokens/vault.ts';
import { type Clock, silentLogger } from '../../../src/ports/runtime.ts';
import type { Leases, TokenStore } from '../../../src/ports/store.ts';
import type { TokenExchange } from '../../../src/ports/tokens.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { type CallEnd, TokenServer } from './token-server.ts';

export const worldConnection = 'acme';
const key = Buffer.alloc(32, 5).toString('base64');
export const httpTimeoutMs = 10_000;
const lifeMs = 120_000;

export interface WorldOptions {
  readonly seed: number;
  readonly processes: number;
  readonly steps: number;
  /** Chances, from 0 to 1: per store write, call and read that a process dies there; per call that it goes wrong. */
  readonly crash: number;
  readonly stall: number;
  readonly fault: number;
  /** Chance per step that the platform forgets the access tokens (401). */
  readonly refusal: number;
  readonly store: { readonly tokens: TokenStore; readonly leases: Leases };
}

/** One presentation as somebody sees it who sees everything. */
export interface Seen {
  readonly token: string;
  readonly at: number;
  /** The presenting process did not live to store the answer, or there was none. */
  isInDoubt: boolean;
}

export interface WorldEnd {
  readonly presentations: readonly Seen[];
  readonly revokedFamilies: number;
  /** Access tokens that were handed out before they lay in the store. */
  readonly usedTooEarly: number;
  readonly lockedOut: number;
  readonly handedOut: number;
  readonly crashes: number;
}

interface Life {
  isDead: boolean;
  /** The presentation whose answer is not stored yet. */
  pending: Seen | undefined;
}

/**
 * Several processes over one store and a strict server, with everything that may go wrong, in an order that only the
 * seed decides. A dead process never runs another line: its promises stay open.
 */
export async function runWorld(options: WorldOptions): Promise<WorldEnd> {
  const random = mulberry32(options.seed);
  const clock = new FakeClock(undefined, 1);
  const server = new TokenServer();
  server.lifeMs = lifeMs;
  const first = server.issueSeed();
  const seal = openSeal(key);
  const vault = openVault(worldConnection, options.store.tokens, seal);
  const presentations: Seen[] = [];
  const durable = new Set<string>();
  let owners = 0;
  let usedTooEarly = 0;
  let lockedOut = 0;
  let handedOut = 0;
  let crashes = 0;
  let running = options.processes;

  const die = (life: Life): Promise<never> => {
    life.isDead = true;
    if (life.pending !== undefined) life.pending.isInDoubt = true;
    return new Promise(() => {});
  };

  /** A place where a process takes time, may stop for long, or ends. */
  const pass = async (life: Life): Promise<void> => {
    if (random() < options.crash) {
      crashes++;
      return die(life);
    }
    const isStalled = random() < options.stall;
    // An answer that is not stored within a lease time is as good as lost: another process takes over.
    if (isStalled && life.pending !== undefined) life.pending.isInDoubt = true;
    await clock.sleep(isStalled ? 60_000 * random() : 20 * random());
    if (life.isDead) await die(life);
  };

  const clockOf = (life: Life): Clock => ({
    now: () => clock.now(),
    sleep: async (ms, signal) => {
      await clock.sleep(ms, signal);
      if (life.isDead) await die(life);
    },
  });

  const around = <A extends readonly unknown[], R>(life: Life, work: (...args: A) => Promise<R>) => {
    return async (...args: A): Promise<R> => {
      await pass(life);
      const result = await work(...args);
      await pass(life);
      return result;
    };
  };

  const storeOf = (life: Life): TokenStore => ({
    get: around(life, (connection) => options.store.tokens.get(connection)),
    replace: around(life, async (seen, next) => {
      const isDone = await options.store.tokens.replace(seen, next);
      if (isDone && next.state !== 'refreshing') life.pending = undefined;
      const access = isDone ? (await vault.read())?.access : undefined;
      if (access !== undefined) durable.add(access);
      return isDone;
    }),
  });

  const leasesOf = (life: Life): Leases => ({
    take: around(life, (...args) => options.store.leases.take(...args)),
    renew: around(life, (...args) => options.store.leases.renew(...args)),
    release: around(life, (lease) => options.store.leases.release(lease)),
    holder: around(life, (...args) => options.store.leases.holder(...args)),
  });

  const exchangeOf =
    (life: Life): TokenExchange =>
    async (token, signal) => {
      const chance = random();
      const wrong: CallEnd[] = ['answer-lost', 'lost-before', 'not-sent'];
      const end = chance < options.fault ? (wrong[Math.floor((chance / options.fault) * 3)] ?? 'not-sent') : 'answered';
      const seen: Seen = { token, at: clock.now(), isInDoubt: end !== 'answered' };
      if (end !== 'not-sent') presentations.push(seen);
      life.pending = seen;
      await clock.sleep(3000 * random());
      if (life.isDead) await die(life);
      if (random() < options.crash) {
        crashes++;
        return die(life);
      }
      const outcome = server.present(token, end, clock.now());
      await clock.sleep(3000 * random());
      if (life.isDead) await die(life);
      if (random() < options.crash) {
        crashes++;
        return die(life);
      }
      if (signal.aborted) return { kind: 'unknown', reason: 'aborted' };
      return outcome;
    };

  const live = async (): Promise<'ended' | 'died'> => {
    const life: Life = { isDead: false, pending: undefined };
    const own = clockOf(life);
    const tokenManager = openTokenManager({
      connection: worldConnection,
      store: storeOf(life),
      leases: leasesOf(life),
      exchange: exchangeOf(life),
      seal,
      clock: own,
      newOwner: () => `owner-${++owners}`,
      configuredRefreshToken: first,
      staticAccessToken: undefined,
      mayPresentSeed: true,
      httpTimeoutMs,
      logger: silentLogger,
      random,
    });
    const signal = new AbortController().signal;
    const work = async (): Promise<'ended'> => {
      for (let step = 0; step < options.steps; step++) {
        await own.sleep(30_000 * random());
        if (random() < options.refusal) server.forgetAccessTokens();
        try {
          const token = await tokenManager.current(signal);
          handedOut++;
          if (!durable.has(token.secret)) usedTooEarly++;
          if (server.accepts(token.secret)) tokenManager.accepted(token.generation);
          else {
            const renewed = await tokenManager.renew(token.generation, signal);
            if (!durable.has(renewed.secret)) usedTooEarly++;
            if (server.accepts(renewed.secret)) tokenManager.accepted(renewed.generation);
          }
        } catch (error) {
          if (!(error instanceof RollcallError)) throw error;
          if (error.code === 'REAUTH_REQUIRED') {
            lockedOut++;
            return 'ended';
          }
          if (error.code !== 'TOKEN_UNAVAILABLE') throw error;
        }
      }
      return 'ended';
    };
    const death = async (): Promise<'died'> => {
      while (!life.isDead) await clock.sleep(500);
      return 'died';
    };
    return Promise.race([work(), death()]);
  };

  const slot = async () => {
    for (let lives = 0; lives < 20 && (await live()) === 'died'; lives++) await clock.sleep(5000 * random());
    running--;
  };
  const all = Promise.all(Array.from({ length: options.processes }, slot));
  await clock.drive(all, 30 * 24 * 3_600_000);
  if (running !== 0) throw new Error('a process is still running');
  return { presentations, revokedFamilies: server.revokedFamilies, usedTooEarly, lockedOut, handedOut, crashes };
}

/** A small seeded generator (mulberry32, public domain): uniform in [0, 1). */
export function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
