import { describe, expect, it } from 'vitest';
import { describeStaticToken } from '../../../src/platform/tokens/status.ts';

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
    ['three parts that are no JSON', 'a.b.c'],
    ['claims that are a list', jwt([1])],
    ['no end', jwt({ sub: 'x' })],
    ['an end that is text', jwt({ exp: '2027-01-01' })],
    ['an end that is no instant', jwt({ exp: 1e300 })],
    ['an end before 1970', jwt({ exp: -5 })],
  ])('that is %s shows no end', (_, token) => {
    expect(describeStaticToken('acme', token)).toMatchObject({ state: 'static', expiresAt: undefined });
  });
});
