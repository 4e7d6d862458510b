import { expect, it } from 'vitest';
import type { Store, TokenRecord } from '../../src/ports/store.ts';
import { someInstant as now } from '../support/fake-clock.ts';
import { sampleTokens } from './store-samples.ts';

export function describeTokens(store: () => Store): void {
  it('gives back what was stored, and nothing for another connection', async () => {
    const { tokens } = store();
    const first = sampleTokens({ reason: 'seen', refreshStartedAt: now, attempts: 1 });
    expect(await tokens.get('acme')).toBeUndefined();
    expect(await tokens.replace(undefined, first)).toBe(true);
    expect(await tokens.get('acme')).toEqual(first);
    const bare = sampleTokens({
      generation: 2,
      state: 'revoked',
      accessSealed: undefined,
      refreshSealed: undefined,
      issuedAt: undefined,
      expiresAt: undefined,
      seedHash: undefined,
      usedSeeds: [],
    });
    expect(await tokens.replace(first, bare)).toBe(true);
    expect(await tokens.get('acme')).toEqual(bare);
    expect(await tokens.get('globex')).toBeUndefined();
    expect(await tokens.all()).toEqual(new Map([['acme', bare]]));
  });

  it('stores the first pair of a connection once', async () => {
    const { tokens } = store();
    expect(await tokens.replace(undefined, sampleTokens())).toBe(true);
    expect(await tokens.replace(undefined, sampleTokens({ generation: 7 }))).toBe(false);
    expect((await tokens.get('acme'))?.generation).toBe(1);
  });

  const stored = sampleTokens({ generation: 3, state: 'refreshing', refreshStartedAt: now });
  it.each<[string, TokenRecord]>([
    ['an older generation', { ...stored, generation: 2 }],
    ['another state', { ...stored, state: 'ready' }],
    ['an earlier start of the refresh', { ...stored, refreshStartedAt: now - 1 }],
    ['no start of the refresh', { ...stored, refreshStartedAt: undefined }],
    ['another connection', { ...stored, connection: 'globex' }],
  ])('does not replace a pair on the strength of %s', async (_, seen) => {
    const { tokens } = store();
    await tokens.replace(undefined, stored);
    expect(await tokens.replace(seen, sampleTokens({ generation: 9 }))).toBe(false);
    expect(await tokens.get('acme')).toEqual(stored);
  });

  it('lets one of many who saw the same pair replace it', async () => {
    const { tokens } = store();
    const seen = sampleTokens();
    await tokens.replace(undefined, seen);
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        tokens.replace(seen, { ...seen, state: 'refreshing', refreshStartedAt: now, reason: `try ${index}` }),
      ),
    );
    expect(results.filter(Boolean)).toHaveLength(1);
    expect((await tokens.get('acme'))?.reason).toBe(`try ${results.indexOf(true)}`);
  });
}
