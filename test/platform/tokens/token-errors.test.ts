import { expect, it } from 'vitest';
import {
  endpointTrouble,
  holderOf,
  howToClear,
  tokenFailure,
  tokenUnavailable,
} from '../../../src/platform/tokens/token-errors.ts';

it.each([
  ['acme', 'the platform no longer accepts the refresh token of connection acme', 'connections.acme.refreshToken'],
  [
    'source people',
    'the HR system no longer accepts the refresh token of the source of sync people',
    'the refresh token in syncs.people.source',
  ],
  [
    'program platform',
    'the platform no longer accepts the refresh token of the connection of this program',
    '(`tokens.refreshToken` of connectPlatform); the next call presents it.',
  ],
])('who has to get a new token for %s is told whose, from whom, and where it goes', (holder, what, where) => {
  const { code, message } = tokenFailure(holder, 'reauth', undefined);

  expect(code).toBe('REAUTH_REQUIRED');
  expect(message).toContain(what);
  expect(message).toContain(where);
});

it('a command that may not present the first token of a source names one that may', () => {
  expect(tokenFailure('source people', 'seed-not-allowed', undefined).message).toContain('rollcall source try people');
});

it.each([
  [
    'no-token',
    'TOKEN_UNAVAILABLE',
    /^there is no token for connection acme\. .*\(connections\.acme\.refreshToken\)\.$/,
  ],
  [
    'seed-not-allowed',
    'TOKEN_UNAVAILABLE',
    /^connection acme has a refresh token .* Run `rollcall token refresh acme`/,
  ],
  ['reauth', 'REAUTH_REQUIRED', /^the platform no longer accepts/],
  ['revoked', 'TOKEN_REVOKED', /^the token of connection acme was revoked/],
  [
    'restored',
    'TOKEN_RESTORED',
    /^the tokens of connection acme were restored .*run `rollcall token refresh acme` instead\.$/,
  ],
  ['sealed', 'TOKEN_UNAVAILABLE', /^the stored token of connection acme cannot be opened with this encryptionKey\./],
] as const)('%s is %s', (why, expected, message) => {
  const failure = tokenFailure('acme', why, undefined);
  expect(failure).toMatchObject({ code: expected, retry: 'never', message: expect.stringMatching(message) });
  expect(failure.message).not.toContain('Cause');
  const withCause = tokenFailure('acme', why, { reason: 'a reason' }).message;
  expect(withCause).toBe(`${failure.message}${why === 'seed-not-allowed' ? '' : ' Cause: a reason.'}`);
});

it('only the source of a sync is told of `source try`', () => {
  expect(howToClear(holderOf('source people'), { attempts: 2 })).toMatch(/token refresh, source try\.$/);
  expect(howToClear(holderOf('acme'), { attempts: 2 })).toMatch(/token refresh\.$/);
  expect(howToClear(holderOf('my source people'), { attempts: 2 })).toContain('from the platform');
});

it.each([
  ['acme', 1, 'busy', '(once): busy. ', '`rollcall token refresh acme`'],
  ['program platform', 2, undefined, '(2 times in a row). ', '`tokens.refresh()`'],
] as const)(
  'an endpoint in trouble says to %s how often, why, and what ends the wait',
  (holder, attempts, reason, ...says) => {
    const { message } = endpointTrouble(holder, { attempts, reason }, 4001);
    expect(message).toContain(`correctly ${says[0]}The refresh token is kept, and presented again in 5 s; ${says[1]}`);
  },
);

it('a token that cannot be had just now says for whom, why and when to try again', () => {
  expect(tokenUnavailable('acme', 'busy', { afterMs: 5 })).toMatchObject({
    code: 'TOKEN_UNAVAILABLE',
    retry: { afterMs: 5 },
    message: 'no token is available for connection acme: busy',
  });
});
