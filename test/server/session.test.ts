import { expect, it } from 'vitest';
import { findAudit } from '../../src/app/audit.ts';
import { readSyncStates } from '../../src/app/syncs.ts';
import { session } from '../../src/server/endpoints/session.ts';
import { openOffice } from '../support/office.ts';
import {
  openTestServer,
  operatorToken,
  type TestServer,
  type TestServerOptions,
  viewerToken,
} from './open-test-server.ts';

const minuteMs = 60_000;

async function openSignedIn(token = operatorToken, options: TestServerOptions = {}) {
  const office = await openOffice();
  const { store } = office.engine.io;
  const server = await openTestServer(office.app, { ...options, parts: { store, ...options.parts } });
  const answer = await server.ask('/api/session', { method: 'POST', token: null, body: { token } });
  const cookie = answer.headers.get('set-cookie') ?? '';
  return { office, server, answer, cookie, ...browserOf(server, cookie, answer.json.csrf) };
}

/** What a browser with this cookie sends. */
function browserOf(server: TestServer, cookie: string, csrf: string) {
  const headers = { cookie: cookie.split(';')[0] ?? '' };
  return {
    get: (path: string, more: object = {}) => server.ask(path, { token: null, headers: { ...headers, ...more } }),
    post: (path: string, more: object = { 'x-csrf-token': csrf }) =>
      server.ask(path, { method: 'POST', token: null, headers: { ...headers, ...more }, body: {} }),
  };
}

it('a token signs in: the cookie is for this host and no script, and the page learns its rights', async () => {
  const { server, answer, cookie, get, office } = await openSignedIn();
  expect(session.parse(answer.json)).toEqual(answer.json);
  expect(answer).toMatchObject({ status: 200, json: { isSignedIn: true, name: 'ops', role: 'operator' } });
  expect(answer.json.rights).toEqual(['read', 'act', 'raw', 'samples']);
  expect(cookie).toMatch(/^rollcall=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/);
  expect((await get('/api/session')).json).toEqual(answer.json);
  expect((await get('/api/overview')).status).toBe(200);
  expect((await server.ask('/api/session', { token: null })).json).toMatchObject({
    ...{ isSignedIn: false, name: null, rights: [], csrf: null },
    signIn: { openId: null, token: true },
  });
  const wrong = await server.ask('/api/session', { method: 'POST', token: null, body: { token: 'x' } });
  expect(wrong).toMatchObject({ status: 401, json: { code: 'TOKEN_UNKNOWN' } });
  expect(wrong.headers.get('set-cookie')).toBeNull();
  expect((await findAudit(office.app, { limit: 5 })).map(({ by, action }) => `${by} ${action}`)).toEqual([
    'ops sign-in',
  ]);
  // The store has nothing with which a reader of it could sign in.
  const secret = cookie.split(/[=;]/)[1] ?? '';
  const key = await office.engine.io.store.sessions.get(secret);
  expect(key).toBeUndefined();
});

it('behind TLS the cookie is bound to the host', async () => {
  const { cookie, get } = await openSignedIn(operatorToken, {
    settings: { publicUrl: 'https://rollcall.example.com' },
  });
  expect(cookie).toMatch(/^__Host-rollcall=[\w-]{43}; Path=\/; .*; Secure$/);
  expect((await get('/api/session')).json).toMatchObject({ isSignedIn: true });
});

it('a request that another site makes the browser send is refused', async () => {
  const { post, office } = await openSignedIn();
  expect(await post('/api/syncs/people/pause', {})).toMatchObject({ status: 403, json: { code: 'CSRF' } });
  expect(await post('/api/syncs/people/pause', { 'x-csrf-token': 'a'.repeat(64) })).toMatchObject({ status: 403 });
  expect(await readSyncStates(office.app)).toMatchObject([{ pause: undefined }]);
  expect((await post('/api/syncs/people/pause')).status).toBe(200);
  expect(await readSyncStates(office.app)).toMatchObject([{ pause: { by: 'ops' } }]);
});

it('a viewer who is signed in acts no more than with the token', async () => {
  const { post, answer } = await openSignedIn(viewerToken);
  expect(answer.json).toMatchObject({ role: 'viewer', rights: ['read'] });
  expect(await post('/api/syncs/people/pause')).toMatchObject({ status: 403, json: { code: 'ROLE' } });
});

it('a session ends when the user is idle, after its life, by signing out, and with its token', async () => {
  const { server, get, post, office } = await openSignedIn();
  await server.clock.advance(20 * minuteMs);
  expect((await get('/api/overview')).status).toBe(200);
  await server.clock.advance(20 * minuteMs);
  expect((await get('/api/overview', { 'x-rollcall-background': '1' })).status).toBe(200);
  // What the page did by itself did not count.
  await server.clock.advance(11 * minuteMs);
  expect(await get('/api/overview')).toMatchObject({ status: 401, json: { code: 'SESSION_EXPIRED' } });
  expect((await get('/api/session')).json).toMatchObject({ isSignedIn: false });

  const again = await openAgain(server);
  for (let passed = 0; passed < 12 * 60; passed += 20) await again.get('/api/session');
  await server.clock.advance(12 * 60 * minuteMs);
  expect((await again.get('/api/overview')).status).toBe(401);

  const out = await openAgain(server);
  const ended = await out.post('/api/session/end');
  expect(ended).toMatchObject({ status: 200, json: { location: null } });
  expect(ended.headers.get('set-cookie')).toMatch(/^rollcall=; .*Max-Age=0/);
  expect((await out.get('/api/overview')).status).toBe(401);
  expect((await post('/api/session/end')).status).toBe(200);

  const last = await openAgain(server);
  const { store } = office.engine.io;
  const other = await openTestServer(office.app, { parts: { store, clock: server.clock }, settings: { tokens: [] } });
  expect((await last.get('/api/overview')).status).toBe(200);
  const cookie = last.cookie.split(';')[0] ?? '';
  expect(await other.ask('/api/overview', { token: null, headers: { cookie } })).toMatchObject({ status: 401 });
});

async function openAgain(server: TestServer) {
  const { headers, json } = await server.ask('/api/session', {
    method: 'POST',
    token: null,
    body: { token: operatorToken },
  });
  const cookie = headers.get('set-cookie') ?? '';
  return { cookie, ...browserOf(server, cookie, json.csrf) };
}

it('several servers on one store know the session', async () => {
  const { office, cookie } = await openSignedIn();
  const other = await openTestServer(office.app, { parts: { store: office.engine.io.store } });
  const headers = { cookie: cookie.split(';')[0] ?? '' };
  expect((await other.ask('/api/session', { token: null, headers })).json).toMatchObject({ name: 'ops' });
});
