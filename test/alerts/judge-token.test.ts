import { describe, expect, it } from 'vitest';
import { judgeToken } from '../../src/alerts/judge-token.ts';
import type { TokenStatus } from '../../src/ports/tokens.ts';

const issuedAt = Date.UTC(2026, 10, 25, 3);
const minute = 60_000;

const hourToken: TokenStatus = {
  connection: 'acme',
  state: 'ready',
  generation: 2,
  issuedAt,
  expiresAt: issuedAt + 60 * minute,
  attempts: 0,
  retryAt: undefined,
  reason: undefined,
  advice: 'Nothing to do.',
};

describe('a refused refresh token', () => {
  const refused: TokenStatus = { ...hourToken, state: 'reauth-required' };

  it.each([
    ['the access token is valid', 59, 'Syncs of acme work until 2026-11-25 04:00:00 UTC, and then not before'],
    ['the access token has expired', 60, 'No sync of acme works until'],
  ])('is critical, and says what still works: %s', (_, afterMinutes, work) => {
    expect(judgeToken('acme', refused, issuedAt + afterMinutes * minute)).toMatchObject({
      severity: 'critical',
      code: 'refresh-token-refused',
      summary: `The platform refuses the refresh token. ${work} a new token is configured`,
    });
  });
});
