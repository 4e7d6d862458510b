import { describe, expect, it } from 'vitest';
import type { TokenStatus } from '../../../src/ports/tokens.ts';
import { judgeToken } from '../../../src/watch/alerts/judge-service.ts';

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

describe('a token endpoint that does not answer correctly', () => {
  const seconds = 1000;
  const throttled = (attempts: number, retryAt: number, over: Partial<TokenStatus> = {}): TokenStatus => ({
    ...hourToken,
    attempts,
    retryAt,
    reason: 'a refresh had no effect: it answered 429 (invalid_request)',
    advice: 'The refresh token is kept, and presented again automatically. To retry immediately: …',
    ...over,
  });
  const shortLived = { expiresAt: issuedAt + 90 * seconds };

  it.each([
    ['twice in a row, with a valid access token', throttled(2, issuedAt + 46 * minute), 45 * minute],
    ['for two minutes', throttled(5, issuedAt + 48 * minute), 46.5 * minute],
    ['at the end of a token of 90 s', throttled(3, issuedAt + 102 * seconds, shortLived), 91 * seconds],
  ])('is no problem while a later try is in time: %s', (_, token, afterMs) => {
    expect(judgeToken({ connection: 'acme', token, now: issuedAt + afterMs })).toBe('well');
  });

  it.each([
    ['a try that is too late for the access token', throttled(2, issuedAt + 55 * minute), 45 * minute, 'warning'],
    ['many answers', throttled(6, issuedAt + 50 * minute), 48 * minute, 'warning'],
    ['an expired access token', throttled(2, issuedAt + 61 * minute), 60 * minute, 'critical'],
    ['no access token', throttled(2, issuedAt + 1000, { issuedAt: undefined, expiresAt: undefined }), 0, 'critical'],
  ])('is a problem with %s', (_, token, afterMs, severity) => {
    expect(judgeToken({ connection: 'acme', token, now: issuedAt + afterMs })).toMatchObject({
      severity,
      code: 'token-endpoint-failing',
    });
  });

  it('is told in sentences of which each stands once, with times to the second', () => {
    const problem = judgeToken({
      connection: 'acme',
      token: throttled(6, issuedAt + 50 * minute),
      now: issuedAt + 48 * minute,
    });
    expect(problem).toMatchObject({
      summary:
        'The token endpoint does not answer correctly (6 answers in a row). The refresh token is kept and presented again; the access token works until 2026-11-25 04:00:00 UTC',
      details: [
        'a refresh had no effect: it answered 429 (invalid_request)',
        'Next try: 2026-11-25 03:50:00 UTC. To retry immediately: rollcall token refresh acme.',
      ],
    });
  });
});

describe('a refused refresh token', () => {
  const refused: TokenStatus = { ...hourToken, state: 'reauth-required' };

  it.each([
    ['the access token is valid', 59, 'Syncs of acme work until 2026-11-25 04:00:00 UTC, and then not before'],
    ['the access token has expired', 60, 'No sync of acme works until'],
  ])('is critical, and says what still works: %s', (_, afterMinutes, work) => {
    expect(judgeToken({ connection: 'acme', token: refused, now: issuedAt + afterMinutes * minute })).toMatchObject({
      severity: 'critical',
      code: 'refresh-token-refused',
      summary: `The platform refuses the refresh token. ${work} a new token is configured`,
    });
  });
});

describe('a configured access token that states its end', () => {
  const days = 24 * 60 * minute;
  const expiresAt = issuedAt + 60 * days;
  const fixed: TokenStatus = { ...hourToken, state: 'static', generation: 0, expiresAt };

  it.each([
    ['is well for as long as there are more than 14 days', 14.01, 'well'],
    ['is a warning from 14 days on', 14, { severity: 'warning', key: 'static-14' }],
    ['is the same problem until 3 days before', 3.01, { severity: 'warning', key: 'static-14' }],
    ['is news from 3 days on', 3, { severity: 'warning', key: 'static-3' }],
    ['is critical from the last day on', 1, { severity: 'critical', key: 'static-1' }],
    ['is critical when it has expired', 0, { severity: 'critical', key: 'static-expired' }],
  ])('%s', (_, daysBefore, expected) => {
    const found = judgeToken({ connection: 'acme', token: fixed, now: expiresAt - daysBefore * days });
    if (expected === 'well') expect(found).toBe('well');
    else expect(found).toMatchObject({ code: 'static-token-expiring', ...(expected as object) });
  });

  it('is never a problem without an end, whatever its age', () => {
    const token: TokenStatus = { ...fixed, expiresAt: undefined };
    expect(judgeToken({ connection: 'acme', token, now: expiresAt + 9000 * days })).toBe('well');
  });
});
