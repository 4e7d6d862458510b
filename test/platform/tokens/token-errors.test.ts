import { expect, it } from 'vitest';
import { tokenFailure } from '../../../src/platform/tokens/token-errors.ts';

it.each([
  ['acme', 'the platform no longer accepts the refresh token of connection acme', 'connections.acme.refreshToken'],
  [
    'source people',
    'the HR system no longer accepts the refresh token of the source of sync people',
    'the refresh token in syncs.people.source',
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
