import { describe, expect, it } from 'vitest';
import type { ReportState } from '../../../src/ports/store-operations.ts';
import type { TokenStatus } from '../../../src/ports/tokens.ts';
import { judgeReports, judgeToken } from '../../../src/watch/alerts/judge-service.ts';

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
    ['for a token of two minutes, which a refresh takes', { ...hourToken, expiresAt: issuedAt + 2 * minute }, 119_000],
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

describe('the reports of a connection', () => {
  const state = (name: string, over: Partial<ReportState> = {}): ReportState => ({
    ...{ name, attempt: 1, slotAt: undefined, requestedAt: undefined, successAt: issuedAt, failures: 0 },
    ...{ failure: undefined, retryAt: undefined, ...over },
  });
  const failing = (name: string, failures: number) =>
    state(name, { failures, failure: 'the server refused the login', requestedAt: issuedAt });
  const on = (one: ReportState, staleBefore?: number) => ({ state: one, staleBefore });

  it.each([
    ['there are none', []],
    ['all succeed', [on(state('a'), issuedAt + 1)]],
    ['one failed once: the next attempt may succeed', [on(failing('a', 1))]],
    ['one waits for less than three slots', [on(state('a', { requestedAt: issuedAt }), issuedAt)]],
  ])('are well where %s', (_, reports) => {
    expect(judgeReports({ reports })).toBe('well');
  });

  it('are a warning after two failures in a row, with what failed and when the last success was', () => {
    const never = { ...failing('b', 5), successAt: undefined };
    expect(judgeReports({ reports: [on(failing('a', 2)), on(never), on(state('c'))] })).toMatchObject({
      ...{ topic: 'report', code: 'report-failed', severity: 'warning', key: 'failed a, b', count: 2 },
      summary: '2 reports fail again and again: a, b',
      details: [
        'a: last success 2026-11-25 03:00 UTC, the server refused the login',
        'b: last success never, the server refused the login',
      ],
      action: 'rollcall status',
    });
  });

  it('are late when one waits for three slots, unless one that fails explains it', () => {
    const late = on(state('a', { requestedAt: issuedAt }), issuedAt + 1);
    expect(judgeReports({ reports: [late] })).toMatchObject({
      ...{ code: 'report-late', key: 'late a', count: 1, action: 'rollcall status' },
      summary: '1 report is late: a',
      details: ['a: last success 2026-11-25 03:00 UTC'],
    });
    expect(judgeReports({ reports: [late, on(failing('b', 2))] })).toMatchObject({ key: 'failed b', count: 1 });
  });
});
