import { describe, expect, it } from 'vitest';
import { admin, growth, sandboxes, type TestSandbox } from './open-sandbox.ts';

const open = sandboxes();

function refresh(sandbox: TestSandbox, refreshToken: string, token = sandbox.applicationToken) {
  return sandbox.call('POST', `${admin}/token`, {
    token,
    body: { grant_type: 'refresh_token', refresh_token: refreshToken },
  });
}

const search = `${admin}/users`;

describe('refreshing', () => {
  it('refuses a used token with invalid_grant, and revokes everything that came from it', async () => {
    const sandbox = await open({ quirks: { strictReuse: true } });
    const first = await refresh(sandbox, sandbox.refreshToken);

    const again = await refresh(sandbox, sandbox.refreshToken);

    expect(again.status).toBe(400);
    expect(again.headers.get('cache-control')).toBe('no-store');
    expect(again.body).toEqual({ error: 'invalid_grant', error_description: expect.any(String) });
    expect((await refresh(sandbox, first.body.refresh_token)).body.error).toBe('invalid_grant');
    expect((await sandbox.call('GET', search, { token: first.body.access_token })).status).toBe(401);
    expect(sandbox.state.refreshes.map(({ token, times, outcome }) => [token, times, outcome])).toEqual([
      [1, 1, 'granted'],
      [1, 2, 'used'],
      [2, 1, 'revoked'],
    ]);
  });

  it('leaves the rest of the family alone where reuse is not watched', async () => {
    const sandbox = await open();
    const first = await refresh(sandbox, sandbox.refreshToken);

    expect((await refresh(sandbox, sandbox.refreshToken)).status).toBe(400);

    expect((await refresh(sandbox, first.body.refresh_token)).status).toBe(200);
  });

  it('consumes nothing when the refresh token is unknown', async () => {
    const sandbox = await open();

    expect((await refresh(sandbox, 'no-such-token')).body.error).toBe('invalid_grant');

    expect((await refresh(sandbox, sandbox.refreshToken)).status).toBe(200);
  });

  it('refuses a refresh token that is over', async () => {
    const sandbox = await open({ quirks: { refreshTokenLifeMs: 1000 } });
    sandbox.advance(1000);

    expect((await refresh(sandbox, sandbox.refreshToken)).body.error).toBe('invalid_grant');
  });

  it.each([
    ['the access token in place of the application token', undefined, 401],
    ['a made-up application token', 'made-up', 401],
  ])('refuses %s', async (_name, token, status) => {
    const sandbox = await open();

    const answer = await refresh(sandbox, sandbox.refreshToken, token ?? sandbox.accessToken);

    expect(answer.status).toBe(status);
    expect(answer.body.error).toBe('invalid_client');
    expect(sandbox.state.refreshes).toEqual([]);
  });

  it.each([
    ['another grant type', { grant_type: 'password', refresh_token: 'x' }, {}, 'unsupported_grant_type'],
    ['no refresh token', { grant_type: 'refresh_token' }, {}, 'invalid_request'],
    ['a body that is no JSON', '{', {}, 'invalid_request'],
    ['a form', 'grant_type=refresh_token', { 'content-type': 'application/x-www-form-urlencoded' }, 'invalid_request'],
  ])('refuses %s', async (_name, body, headers, error) => {
    const sandbox = await open();

    const answer = await sandbox.call('POST', `${admin}/token`, { token: sandbox.applicationToken, body, headers });

    expect([answer.status, answer.body.error]).toEqual([400, error]);
  });

  it('does not read query parameters', async () => {
    const sandbox = await open();
    const query = `grant_type=refresh_token&refresh_token=${sandbox.refreshToken}`;

    const answer = await sandbox.call('POST', `${admin}/token?${query}`, { token: sandbox.applicationToken, body: {} });

    expect(answer.status).toBe(400);
    expect((await refresh(sandbox, sandbox.refreshToken)).status).toBe(200);
  });
});

describe('revoking', () => {
  it('shows as 401 under /os-api only', async () => {
    const sandbox = await open({ users: 3 });

    const answer = await sandbox.call('POST', `${admin}/token/revoke`);

    expect([answer.status, answer.body]).toEqual([200, { message: expect.any(String) }]);
    expect((await sandbox.call('GET', search)).status).toBe(401);
    expect((await sandbox.call('GET', `${growth}/feedbacks`)).status).toBe(200);
  });

  it.each([
    ['no token', null],
    ['a malformed token', 'two words'],
  ])('refuses %s with the platform error body', async (_name, token) => {
    const sandbox = await open();

    const answer = await sandbox.call('POST', `${admin}/token/revoke`, { token });

    expect(answer.status).toBe(401);
    expect(answer.body).toEqual({
      timestamp: '2026-05-20T12:00:00.000Z',
      message: expect.any(String),
      details: expect.any(String),
      type: `uri=${admin}/token/revoke`,
      title: 'Unauthorized',
      detail: expect.any(String),
    });
  });
});

describe('access tokens', () => {
  it('end after their life, everywhere', async () => {
    const sandbox = await open({ accessTokenLifeMs: 60_000 });
    sandbox.advance(59_999);
    expect((await sandbox.call('GET', search)).status).toBe(200);
    sandbox.advance(1);

    expect((await sandbox.call('GET', search)).status).toBe(401);
    expect((await sandbox.call('GET', `${growth}/goals`)).status).toBe(401);
  });

  it('are not the application token', async () => {
    const sandbox = await open();

    expect((await sandbox.call('GET', search, { token: sandbox.applicationToken })).status).toBe(403);
  });

  it('come anew when a person authorizes again', async () => {
    const sandbox = await open();
    await sandbox.call('POST', `${admin}/token/revoke`);

    const { accessToken, refreshToken } = (await sandbox.call('POST', '/_sandbox/tokens')).body;

    expect((await sandbox.call('GET', search, { token: accessToken })).status).toBe(200);
    expect((await refresh(sandbox, refreshToken)).status).toBe(200);
  });
});
