import { expect, it } from 'vitest';
import { describeTokens } from '../../../src/platform/tokens/status.ts';
import { emptyDraft, type TokenEntry } from '../../../src/platform/tokens/vault.ts';

const entry: TokenEntry = {
  ...emptyDraft,
  generation: 3,
  isReadable: true,
  access: 'access',
  refresh: 'refresh',
  issuedAt: 1000,
  expiresAt: 2000,
  usedSeeds: ['hash'],
  attempts: 1,
  reason: 'why',
};
const describeFor = (row: TokenEntry | undefined, seed: 'none' | 'used' | 'new' = 'used') =>
  describeTokens({ connection: 'acme', entry: row, seed });

it('a status has everything of the pair but its secrets', () => {
  expect(describeFor(entry)).toEqual({
    connection: 'acme',
    state: 'ready',
    generation: 3,
    issuedAt: 1000,
    expiresAt: 2000,
    attempts: 1,
    retryAt: undefined,
    reason: 'why',
    advice: 'Nothing to do.',
  });
});

it('without a pair there is nothing but what to do', () => {
  const nothing = { state: 'none', generation: 0, issuedAt: undefined, expiresAt: undefined, attempts: 0 };
  expect(describeFor(undefined, 'none')).toMatchObject({
    ...nothing,
    advice: 'Put a refresh token in the configuration (connections.acme.refreshToken).',
  });
  expect(describeFor({ ...entry, usedSeeds: [] }, 'none')).toMatchObject({
    state: 'none',
    advice: 'Put a refresh token in the configuration (connections.acme.refreshToken).',
  });
});

it.each<[string, Partial<TokenEntry>, 'used' | 'new', [state: string, advice: RegExp]]>([
  ['a new first token', {}, 'new', ['ready', /is new. Commands that present it: start, apply/]],
  ['a pair of another key', { isReadable: false }, 'used', ['sealed', /sealed with another encryptionKey/]],
  [
    'a dead pair of another key',
    { isReadable: false, state: 'reauth-required' },
    'used',
    ['reauth-required', /another/],
  ],
  ['a used first token beside a tried one', { triedSeeds: ['new'] }, 'used', ['ready', /^Nothing to do/]],
  ['a time that counts nothing', { attempts: 0, retryAt: 9000 }, 'used', ['ready', /^Nothing to do/]],
  [
    'a dead pair',
    { state: 'reauth-required', attempts: 1, retryAt: 9000 },
    'used',
    ['reauth-required', /^Run `rollcall token refresh acme` first/],
  ],
  [
    'a pair that is dead for good',
    { state: 'reauth-required', attempts: 1 },
    'used',
    ['reauth-required', /^Get a new refresh token/],
  ],
  ['a first token not exchanged', { access: undefined, issuedAt: undefined }, 'used', ['ready', /^Not exchanged yet/]],
  ['a refresh under way', { state: 'refreshing' }, 'used', ['refreshing', /in progress, or its answer was lost/]],
  [
    'an endpoint in trouble',
    { state: 'refreshing', retryAt: 9000 },
    'used',
    ['refreshing', /^The token endpoint does not answer correctly.*`rollcall token refresh acme`/],
  ],
  [
    'a first token that could not be sent',
    { refresh: undefined, retryAt: 9000 },
    'used',
    ['none', /kept, and presented/],
  ],
  ['a revoked pair', { state: 'revoked' }, 'used', ['revoked', /`rollcall token refresh acme`/]],
])('the advice for %s', (_, patch, seed, [state, advice]) => {
  const status = describeFor({ ...entry, ...patch }, seed);
  expect(status.state).toBe(state);
  expect(status.advice).toMatch(advice);
});
