import { expect, it } from 'vitest';
import { defaultDialect } from '../../../src/core/run/settings.ts';
import { exchangeRefreshToken, revokeToken } from '../../../src/platform/tokens/calls.ts';
import { parseFault, type RunningSandbox, type SandboxOptions, startSandbox } from '../../../src/sandbox/index.ts';
import { slowly } from '../../support/slowness.ts';
import { socketsTo } from '../../support/sockets-to.ts';
import { closeAndFailOnLeaks, closeLater } from '../closing.ts';
import { sendJson, startLocalServer } from '../local-server.ts';
import { neverAborted } from '../test-client.ts';

closeAndFailOnLeaks();

async function open(options: Partial<SandboxOptions> = {}, ...faults: string[]): Promise<RunningSandbox> {
  const sandbox = await startSandbox({ now: () => 0, ...options });
  closeLater(() => sandbox.close());
  sandbox.setFaults(faults.map(parseFault));
  return sandbox;
}

const call = (sandbox: RunningSandbox, refreshToken = sandbox.refreshToken) => ({
  baseUrl: sandbox.url,
  applicationToken: sandbox.applicationToken,
  refreshToken,
  expiresIn: defaultDialect.expiresIn,
  timeoutMs: slowly(2_000),
  now: () => 0,
});

it('a refresh gives a new pair once; the used token is an invalid grant', async () => {
  const sandbox = await open();
  const granted = await exchangeRefreshToken(call(sandbox), neverAborted);
  expect(granted).toMatchObject({ kind: 'granted', expiresInMs: 3_600_000, oddities: [] });

  const again = await exchangeRefreshToken(call(sandbox), neverAborted);
  expect(again).toMatchObject({ kind: 'invalid-grant' });
  expect(JSON.stringify(again)).not.toContain(sandbox.refreshToken);
});

it('reads expires_in in milliseconds when the dialect says so', async () => {
  const sandbox = await open({ quirks: { expiresIn: 'ms' } });
  const granted = await exchangeRefreshToken({ ...call(sandbox), expiresIn: 'milliseconds' }, neverAborted);

  expect(granted).toMatchObject({ kind: 'granted', expiresInMs: 3_600_000 });
});

it.each([
  ['token:status=429;retry-after=120', { kind: 'not-sent', afterMs: 120_000 }],
  ['token:status=503;retry-after=999999', { kind: 'unknown', afterMs: 3_600_000 }],
  ['token:status=500;retry-after=120', { kind: 'unknown' }],
  ['token:status=429', { kind: 'not-sent' }],
  ['token:status=400', { kind: 'not-sent', reason: 'it answered 400 (invalid_request)' }],
])('under %s a refresh tells how long the platform wants to be left alone', async (fault, expected) => {
  const sandbox = await open({}, fault);
  expect(await exchangeRefreshToken(call(sandbox), neverAborted)).toEqual({
    reason: expect.any(String),
    ...expected,
    isAnswered: true,
  });
});

it('a pair without a refresh token keeps the old one, and says so', async () => {
  const sandbox = await open({}, 'token:merge={"refresh_token":null}');
  expect(await exchangeRefreshToken(call(sandbox), neverAborted)).toMatchObject({
    refreshToken: sandbox.refreshToken,
    oddities: ['it has no `refresh_token`, so the old one is kept'],
  });
});

it('a refresh that hangs, or is aborted, ends unknown', async () => {
  const sandbox = await open({}, 'token:hang');

  expect(await exchangeRefreshToken({ ...call(sandbox), timeoutMs: 50 }, neverAborted)).toMatchObject({
    kind: 'unknown',
  });
  expect(await exchangeRefreshToken(call(sandbox), AbortSignal.timeout(50))).toMatchObject({ kind: 'unknown' });
});

const endpoint = { timeoutMs: slowly(2_000), now: () => 0 };
const refresh = { ...endpoint, applicationToken: 'app', refreshToken: 'r', expiresIn: 'seconds' } as const;

it.each([
  [400, { error: 'invalid_grant' }, 'invalid-grant', undefined],
  [401, { error: 'invalid_grant' }, 'invalid-grant', undefined],
  [500, { error: 'invalid_grant' }, 'invalid-grant', undefined],
  [
    200,
    { error: 'bad_refresh_token', error_description: 'It is expired or already used.' },
    'invalid-grant',
    undefined,
  ],
  [200, { error: { code: 'RefreshTokenExpired' } }, 'invalid-grant', undefined],
  [403, { title: 'Refresh token revoked' }, 'invalid-grant', undefined],
  [200, { error: 'invalid_client' }, 'not-sent', 'it answered 200 (invalid_client)'],
  [200, { error: 'server_error' }, 'unknown', 'it answered 200 (server_error)'],
  [500, { error: 'server_error' }, 'unknown', 'it answered 500 (server_error)'],
  [401, { error: 'access_token_expired' }, 'not-sent', 'POST /os-api/public-api/v1/token was answered 401'],
  [500, { access_token: 'a', refresh_token: 'b', error: 'invalid_grant' }, 'granted', undefined],
  [400, { error: 'unsupported_grant_type' }, 'not-sent', 'it answered 400 (unsupported_grant_type)'],
  [400, { title: 'Bad Request' }, 'not-sent', 'it answered 400'],
  [400, { title: 'of Ana' }, 'unknown', 'POST /os-api/public-api/v1/token was answered 400'],
  [200, {}, 'unknown', expect.stringMatching(/contains neither `access_token` nor `refresh_token`$/)],
])('what an answer says of a refresh: %i %j is %s', async (status, body, kind, reason) => {
  const { url: baseUrl } = await startLocalServer((_, response) => sendJson(response, status, body));
  const outcome = await exchangeRefreshToken({ ...refresh, baseUrl });
  expect(outcome).toMatchObject({ kind, ...(reason === undefined ? {} : { reason, isAnswered: true }) });
  if (kind === 'invalid-grant') expect(outcome).toMatchObject({ isReuse: false });
  expect(socketsTo(Number(new URL(baseUrl).port)), 'the socket is given back').toBe(0);
});

it.each([
  { error: 'invalid_grant', error_description: 'The refresh token was already used.' },
  { error: 'invalid_grant', error_description: 'Refresh token reuse detected' },
  { error: 'refresh_token_reused' },
  { error: 'invalid_grant', error_description: 'The refresh token is used' },
])('a refusal that names a reuse is known as one: %j', async (body) => {
  const { url: baseUrl } = await startLocalServer((_, response) => sendJson(response, 400, body));
  expect(await exchangeRefreshToken({ ...refresh, baseUrl })).toMatchObject({ kind: 'invalid-grant', isReuse: true });
});

it('an answer of more than a megabyte is not read', async () => {
  const pair = { access_token: 'a', refresh_token: 'b', expires_in: 60, more: 'x'.repeat(1024 * 1024) };
  const { url: baseUrl } = await startLocalServer((_, response) => sendJson(response, 200, pair));
  expect(await exchangeRefreshToken({ ...refresh, baseUrl })).toMatchObject({ kind: 'unknown' });
});

it.each([
  [401, 'refused'],
  [undefined, 'unknown'],
])('a revocation that ends with %s is %s', async (status, kind) => {
  const { url: baseUrl } = await startLocalServer((_, response) =>
    status === undefined ? response.destroy() : sendJson(response, status, {}),
  );
  const reason = expect.stringMatching(/./);
  expect(await revokeToken({ ...endpoint, baseUrl, accessToken: 'a' })).toEqual({ kind, reason });
});

it('an error that no platform made is no outcome', async () => {
  const { url: baseUrl } = await startLocalServer((_, response) => sendJson(response, 401, {}));
  const onRequest = () => {
    throw new TypeError('a bug');
  };
  await expect(exchangeRefreshToken({ ...refresh, baseUrl, onRequest })).rejects.toThrow(TypeError);
});

it('a refresh to a platform that is down was certainly not sent', async () => {
  const sandbox = await open();
  await sandbox.close();

  expect(await exchangeRefreshToken(call(sandbox), neverAborted)).toMatchObject({ kind: 'not-sent' });
});

it('a revoked token is revoked again without error, and no longer accepted', async () => {
  const sandbox = await open();
  const headers = { authorization: `Bearer ${sandbox.accessToken}` };
  const revoke = { baseUrl: sandbox.url, accessToken: sandbox.accessToken, timeoutMs: slowly(2_000), now: () => 0 };
  expect(await revokeToken(revoke, neverAborted)).toEqual({ kind: 'revoked' });
  expect(await revokeToken(revoke, neverAborted)).toEqual({ kind: 'revoked' });

  expect((await fetch(`${sandbox.url}/os-api/public-api/v1/users`, { headers })).status).toBe(401);
});
