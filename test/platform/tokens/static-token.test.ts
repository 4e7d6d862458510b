import { describe, expect, it } from 'vitest';
import { describeStaticToken } from '../../../src/platform/tokens/status.ts';
import { staticTokenManager } from '../../../src/platform/tokens/token-manager.ts';
import { skippingClock } from '../test-client.ts';
import { never } from './token-manager-bench.ts';

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const jwt = (claims: unknown) => `${encode({ alg: 'RS256' })}.${encode(claims)}.c2ln`;
const at = Date.UTC(2027, 0, 1);

describe('a configured access token', () => {
  it('that is a JWT shows when it was issued and when it expires', () => {
    expect(describeStaticToken('acme', jwt({ iat: at / 1000 - 60, exp: at / 1000, sub: 'x' }))).toMatchObject({
      state: 'static',
      issuedAt: at - 60_000,
      expiresAt: at,
      advice: expect.stringContaining('connections.acme.accessToken'),
    });
  });

  it.each([
    ['an opaque text', 'sandbox-access'],
    [
      'two parts',
      jwt({ exp: at / 1000 })
        .split('.')
        .slice(0, 2)
        .join('.'),
    ],
    ['three parts that are no JSON', 'a.b.c'],
    ['claims that are a list', jwt([1])],
    ['no end', jwt({ sub: 'x' })],
    ['an end that is text', jwt({ exp: '2027-01-01' })],
    ['an end that is no instant', jwt({ exp: 1e300 })],
    ['an end before 1970', jwt({ exp: -5 })],
  ])('that is %s shows no end', (_, token) => {
    expect(describeStaticToken('acme', token)).toMatchObject({ state: 'static', expiresAt: undefined });
  });

  it('that ends with the last instant shows it', () => {
    expect(describeStaticToken('acme', jwt({ exp: 8.64e12 })).expiresAt).toBe(8.64e15);
  });

  it('that was accepted is tried again three times, ever later; one that never was is not', async () => {
    const clock = skippingClock();
    const tokens = staticTokenManager('acme', 'fixed', clock);
    expect(await tokens.outwait?.(0, never)).toBe(false);
    tokens.accepted(0);
    const tries = [
      await tokens.outwait?.(0, never),
      await tokens.outwait?.(0, never),
      await tokens.outwait?.(0, never),
    ];
    expect([...tries, await tokens.outwait?.(0, never)]).toEqual([true, true, true, false]);
    expect(clock.sleeps).toEqual([1000, 4000, 15_000]);
    await expect(tokens.close()).resolves.toBeUndefined();
  });
});
