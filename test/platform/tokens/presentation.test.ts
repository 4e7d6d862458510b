import { describe, expect, it } from 'vitest';
import {
  graceMs,
  type PresentationParts,
  type Presented,
  presentToken,
} from '../../../src/platform/tokens/presentation.ts';
import { openSeal } from '../../../src/platform/tokens/seal.ts';
import { emptyDraft, openVault, type TokenDraft } from '../../../src/platform/tokens/vault.ts';
import type { Verdict } from '../../../src/platform/tokens/verdict.ts';
import type { TokenRecord } from '../../../src/ports/store.ts';
import type { ExchangeOutcome, OddAnswer } from '../../../src/ports/tokens.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { memoryLogger } from '../../support/memory-logger.ts';
import { memoryTokenStore } from './memory-token-store.ts';
import { connection, httpTimeoutMs, leaseMs, testKey } from './token-manager-bench.ts';

const pair: TokenDraft = {
  ...emptyDraft,
  access: 'a1',
  refresh: 'r1',
  issuedAt: 0,
  expiresAt: 1000,
  usedSeeds: ['s1'],
};
const refresh: Verdict = { kind: 'present', what: 'refresh', isOptional: false };
const granted: ExchangeOutcome = { kind: 'granted', accessToken: 'a2', refreshToken: 'r2', expiresInMs: 60_000 };

/** One presentation over a stored pair; the exchange answers with `outcome`. */
async function bench(outcome: ExchangeOutcome = granted, stored: TokenDraft | 'none' = pair) {
  const clock = new FakeClock();
  const memory = memoryTokenStore();
  const logger = memoryLogger();
  const presented: string[] = [];
  const vault = openVault(connection, memory.tokens, openSeal(testKey));
  if (stored !== 'none') await vault.write(undefined, stored);
  let owners = 0;
  const parts: PresentationParts = {
    connection,
    vault,
    leases: memory.leases,
    exchange: async (token) => {
      presented.push(token);
      return outcome;
    },
    clock,
    logger,
    newOwner: () => `owner-${++owners}`,
    httpTimeoutMs,
    leaseMs,
    seed: { token: 'seed-2', hash: 's2' },
  };
  const present = (patch: Partial<PresentationParts> = {}, verdict: Verdict = refresh): Promise<Presented> =>
    clock.drive(presentToken({ ...parts, ...patch }, () => verdict));
  return { clock, memory, logger, presented, vault, parts, present };
}

describe('a granted pair', () => {
  it('is stored as ready, and the lease is free again', async () => {
    const { present, vault, presented, memory, clock, logger } = await bench();

    const end = await present();

    expect(presented).toEqual(['r1']);
    expect(end).toEqual({ kind: 'granted', entry: await vault.read() });
    expect(await vault.read()).toMatchObject({
      state: 'ready',
      access: 'a2',
      refresh: 'r2',
      attempts: 0,
      generation: 3,
    });
    expect(await memory.leases.holder(`token:${connection}`, clock.now())).toBeUndefined();
    expect(logger.lines).toEqual([
      { level: 'info', fields: { connection, generation: 3 }, message: 'token refreshed' },
    ]);
  });

  it('that is odd in something is used, and the oddity is logged', async () => {
    const { present, logger } = await bench({ ...granted, oddities: ['it has no `token_type`'] });

    expect((await present()).kind).toBe('granted');
    const reason = expect.stringContaining('it has no `token_type`');
    const warning = { level: 'warn', fields: { connection, reason }, message: 'the token pair is unusual' };
    expect(logger.lines).toContainEqual(warning);
  });

  it.each(['reauth-required', 'revoked'] as const)('of a new first token ends %s', async (state) => {
    const { present, presented, vault } = await bench(granted, { ...pair, state });

    await present({}, { kind: 'present', what: 'seed', isOptional: false });

    expect(presented).toEqual(['seed-2']);
    expect(await vault.read()).toMatchObject({ state: 'ready', usedSeeds: ['s1', 's2'] });
  });

  it('is given though the lease cannot be released, which is logged', async () => {
    const { present, parts, logger } = await bench();
    for (const cause of [new TypeError('secret'), 'secret']) {
      const leases = { ...parts.leases, release: () => Promise.reject(cause) };
      expect((await present({ leases, newOwner: () => 'same' })).kind).toBe('granted');
    }
    expect(logger.lines.filter(({ level }) => level === 'warn')).toEqual([
      { level: 'warn', fields: { connection, error: 'TypeError' }, message: 'token lease was not released' },
      { level: 'warn', fields: { connection, error: undefined }, message: 'token lease was not released' },
    ]);
  });

  it('waits for a store that fails four times, each time twice as long', async () => {
    const { present, parts, clock, memory } = await bench();
    const triedAt: number[] = [];
    const startedAt = clock.now();
    const tokens = {
      ...memory.tokens,
      replace: async (seen: TokenRecord | undefined, next: TokenRecord) => {
        if (next.state === 'ready') triedAt.push(clock.now() - startedAt);
        if (next.state === 'ready' && triedAt.length < 5) throw new Error('disk full');
        return memory.tokens.replace(seen, next);
      },
    };
    expect(parts.leaseMs).toBe(leaseMs);
    expect((await present({ vault: openVault(connection, tokens, openSeal(testKey)) })).kind).toBe('granted');
    expect(triedAt).toEqual([0, 200, 600, 1400, 3000]);
  });

  it('is kept when the store fails for the fifth time, and can be stored later', async () => {
    const { present, memory, vault } = await bench();
    const cause = new Error('disk full');
    let isFull = true;
    const tokens = {
      ...memory.tokens,
      replace: async (seen: TokenRecord | undefined, next: TokenRecord) => {
        if (isFull && next.state === 'ready') throw cause;
        return memory.tokens.replace(seen, next);
      },
    };
    const end = await present({ vault: openVault(connection, tokens, openSeal(testKey)) });
    if (end.kind !== 'unsaved') throw new Error(`expected an unsaved pair, got ${end.kind}`);
    expect(end.cause).toBe(cause);
    isFull = false;
    expect(await end.store()).toMatchObject({ kind: 'granted' });
    expect(await vault.read()).toMatchObject({ access: 'a2' });
  });
});

describe('nothing is presented', () => {
  it('while another owner holds the lease', async () => {
    const { present, memory, presented, clock } = await bench();
    await memory.leases.take(`token:${connection}`, 'other', leaseMs, clock.now());
    expect(await present()).toEqual({ kind: 'busy' });
    expect(presented).toEqual([]);
  });

  it('when the row asks for something else by now', async () => {
    const { present, presented, memory, clock } = await bench();
    expect(await present({}, { kind: 'use' })).toEqual({ kind: 'changed' });
    expect(presented).toEqual([]);
    expect(await memory.leases.holder(`token:${connection}`, clock.now())).toBeUndefined();
  });

  it('when another process has changed the row', async () => {
    const { present, parts, vault, presented, logger } = await bench();
    const stale = { ...parts.vault, write: async () => undefined };
    expect(await present({ vault: stale })).toEqual({ kind: 'changed' });
    expect([presented, logger.lines]).toEqual([[], []]);
    expect(await vault.read()).toMatchObject({ state: 'ready', generation: 1 });
  });

  it('when the store has no room for the answer', async () => {
    const { present, parts, presented, memory, clock } = await bench();
    const full = { ...parts.vault, write: () => Promise.reject(new Error('disk full')) };
    await expect(present({ vault: full })).rejects.toMatchObject({
      code: 'TOKEN_UNAVAILABLE',
      retry: 'backoff',
      message: expect.stringContaining('no room for the answer. Nothing is lost'),
    });
    expect(presented).toEqual([]);
    expect(await memory.leases.holder(`token:${connection}`, clock.now())).toBeUndefined();
  });

  it('later than the call could end within the lease', async () => {
    const lastStartMs = leaseMs - httpTimeoutMs - graceMs;
    for (const [stoodMs, sent] of [
      [lastStartMs, 1],
      [lastStartMs + 1, 0],
    ] as const) {
      const { present, parts, presented, clock, vault } = await bench();
      const slow = {
        ...parts.vault,
        write: async (...args: Parameters<typeof vault.write>) => {
          const written = await vault.write(...args);
          if (args[1].state === 'refreshing') clock.jumpTo(clock.now() + stoodMs);
          return written;
        },
      };
      const end = await present({ vault: slow });
      expect([end.kind, presented.length]).toEqual([sent === 1 ? 'granted' : 'not-sent', sent]);
      if (sent === 0) expect(await vault.read()).toMatchObject({ ...pair, attempts: 0, state: 'ready' });
    }
  });
});

describe('an answer without a pair', () => {
  it.each<[string, OddAnswer, number]>([
    ['no connection', {}, 60_000],
    ['an answer', { isAnswered: true }, 160_000],
    ['an answer that asks for more', { isAnswered: true, afterMs: 600_000 }, 600_000],
  ])('that was certainly not used leaves the pair as it was, with the count (%s)', async (_, more, waitMs) => {
    const notSent = { kind: 'not-sent', reason: 'connection refused', ...more } as const;
    const { present, vault, logger, clock } = await bench(notSent, { ...pair, reason: 'an old one', attempts: 5 });
    const retryAt = clock.now() + waitMs;
    expect(await present()).toEqual({ ...notSent, retryAt });
    const reason = 'a refresh had no effect: connection refused';
    const count = { attempts: 6, retryAt, refreshStartedAt: retryAt - waitMs };
    expect(await vault.read()).toMatchObject({ ...pair, ...count, reason, generation: 3 });
    expect(logger.lines).toEqual([
      {
        level: 'warn',
        fields: { connection, attempts: 6, reason: 'connection refused', nextTryInMs: waitMs },
        message: 'the token endpoint does not answer correctly',
      },
    ]);
  });

  it.each(['revoked', 'reauth-required'] as const)('that was certainly not used leaves %s as it was', async (state) => {
    const stored = { ...pair, state, reason: 'why', attempts: 2 };
    const { present, vault } = await bench({ kind: 'not-sent', reason: 'connection refused' }, stored);
    await present();
    expect(await vault.read()).toMatchObject(stored);
  });

  it('that is odd does not revive a token that the platform has refused', async () => {
    const stored = { ...pair, state: 'reauth-required', reason: 'why' } as const;
    const { present, vault } = await bench({ kind: 'unknown', reason: 'it answered 500', isAnswered: true }, stored);
    expect((await present()).kind).toBe('unknown');
    expect(await vault.read()).toMatchObject(stored);
  });

  it.each<[string, OddAnswer, number, number]>([
    ['a lost answer', {}, leaseMs, 300],
    ['an answer', { isAnswered: true }, 5000, 201],
    ['an answer that asks for more', { isAnswered: true, afterMs: 9000 }, 9000, 200],
  ])(
    'that may have been taken leaves `refreshing` with its count and the next time (%s)',
    async (_, more, waitMs, length) => {
      const { present, vault, clock } = await bench({ kind: 'unknown', reason: 'x'.repeat(length), ...more });
      const startedAt = clock.now();
      expect((await present()).kind).toBe('unknown');
      expect(await vault.read()).toMatchObject({
        state: 'refreshing',
        refreshStartedAt: startedAt,
        attempts: 1,
        retryAt: startedAt + waitMs,
        refresh: 'r1',
        reason: `a refresh got an invalid answer: ${'x'.repeat(200)}${length > 200 ? '…' : ''}`,
      });
    },
  );

  it('that is invalid_grant locks out, and says why', async () => {
    const { present, vault, logger } = await bench({
      kind: 'invalid-grant',
      code: 'invalid_grant',
      isReuse: false,
    });
    const reason = 'the platform answered invalid_grant';
    expect(await present()).toEqual({ kind: 'settled' });
    expect(await vault.read()).toMatchObject({ state: 'reauth-required', reason, refreshStartedAt: undefined });
    const fields = { connection, generation: 3, reason, refusals: 1 };
    expect(logger.lines).toEqual([{ level: 'error', fields, message: 'the refresh token was refused' }]);
  });

  it('that is invalid_grant is asked again after 1 and 10 minutes, and then no longer', async () => {
    const { present, vault, clock } = await bench({
      kind: 'invalid-grant',
      code: 'invalid_grant',
      isReuse: false,
    });
    const again: Verdict = { kind: 'present', what: 'again', isOptional: false };
    await present();
    expect((await vault.read())?.retryAt).toBe(clock.now() + 60_000);
    await present({}, again);
    expect((await vault.read())?.retryAt).toBe(clock.now() + 600_000);
    await present({}, again);
    expect(await vault.read()).toMatchObject({ state: 'reauth-required', attempts: 3, retryAt: undefined });
  });

  it.each<[string, ExchangeOutcome]>([
    ['is lost', { kind: 'unknown', reason: 'no answer' }],
    ['was never sent', { kind: 'not-sent', reason: 'no connection' }],
  ])('to a further try that %s counts as one of them', async (_, outcome) => {
    const refused: TokenDraft = { ...pair, state: 'reauth-required', attempts: 1, retryAt: 5, reason: 'refused' };
    const { present, vault, clock } = await bench(outcome, refused);
    await present({}, { kind: 'present', what: 'again', isOptional: false });
    const retryAt = clock.now() + 600_000;
    expect(await vault.read()).toMatchObject({ state: 'reauth-required', attempts: 2, retryAt, reason: 'refused' });
  });

  it('to a further try that is a pair ends the lock-out', async () => {
    const refused: TokenDraft = { ...pair, state: 'reauth-required', attempts: 1, retryAt: 5, reason: 'refused' };
    const { present, vault } = await bench(granted, refused);
    expect(await present({}, { kind: 'present', what: 'again', isOptional: false })).toMatchObject({ kind: 'granted' });
    expect((await vault.read())?.state).toBe('ready');
  });

  it.each<[string, TokenDraft, boolean]>([
    ['names a reuse', pair, true],
    ['refuses a first token', { ...pair, issuedAt: undefined }, false],
  ])('that %s is never asked again', async (_, stored, isReuse) => {
    const { present, vault } = await bench({ kind: 'invalid-grant', code: 'invalid_grant', isReuse }, stored);
    await present();
    expect((await vault.read())?.retryAt).toBeUndefined();
  });

  it('that is invalid_grant says nothing where another process has changed the row', async () => {
    const { present, vault, logger } = await bench({
      kind: 'invalid-grant',
      code: 'invalid_grant',
      isReuse: false,
    });
    const write: typeof vault.write = async (...given) =>
      given[1].state === 'reauth-required' ? undefined : vault.write(...given);
    expect(await present({ vault: { ...vault, write } })).toEqual({ kind: 'changed' });
    expect(logger.lines).toEqual([]);
  });

  it('that is invalid_grant after odd answers says how many there were', async () => {
    const { present, vault } = await bench(
      { kind: 'invalid-grant', code: 'invalid_grant', isReuse: false },
      { ...pair, attempts: 3 },
    );
    await present();
    expect((await vault.read())?.reason).toMatch(/invalid_grant, after 3 presentations that it did not answer/);
  });

  it('that refuses a new first token keeps a working pair, and the refused one is not presented again', async () => {
    const { present, vault, logger } = await bench({
      kind: 'invalid-grant',
      code: 'invalid_grant',
      isReuse: false,
    });
    expect(await present({}, { kind: 'present', what: 'seed', isOptional: true })).toEqual({ kind: 'settled' });
    expect(await vault.read()).toMatchObject({
      ...pair,
      usedSeeds: ['s1', 's2'],
      reason: expect.stringContaining('the stored pair stays in use'),
    });
    const message = 'the configured refresh token was refused, and the stored pair stays in use';
    expect(logger.lines).toEqual([{ level: 'error', fields: { connection }, message }]);
  });

  it.each<[string, TokenDraft | 'none']>([
    ['there is none', 'none'],
    ['it was never exchanged', { ...emptyDraft, attempts: 1, triedSeeds: ['s2'] }],
  ])('that refuses a new first token locks out without a pair before it: %s', async (_, stored) => {
    const { present, vault } = await bench({ kind: 'invalid-grant', code: 'invalid_grant', isReuse: false }, stored);
    await present({}, { kind: 'present', what: 'seed', isOptional: false });
    expect(await vault.read()).toMatchObject({ state: 'reauth-required', usedSeeds: ['s2'], triedSeeds: [] });
  });
});
