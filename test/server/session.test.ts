import { expect, it } from 'vitest';
import { findAudit } from '../../src/app/audit.ts';
import { readSyncStates } from '../../src/app/syncs.ts';
import { session } from '../../src/server/endpoints/session.ts';
import { idle } from '../support/fake-clock.ts';
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
  expect(answer).toMatchObject({ status: 200, json: { isSignedIn: true, name: 'token:ops', role: 'operator' } });
  expect(answer.json.rights).toEqual(['read', 'people', 'audit', 'act', 'decide', 'raw', 'samples']);
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
    '(unknown) sign-in-failed',
    'token:ops sign-in',
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
  expect(await readSyncStates(office.app)).toMatchObject([{ pause: { by: 'token:ops' } }]);
});

it('a viewer who is signed in acts no more than with the token', async () => {
  const { post, answer } = await openSignedIn(viewerToken);
  expect(answer.json).toMatchObject({ role: 'viewer', rights: ['read', 'people', 'audit'] });
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
  const parts = { store, clock: server.clock, newId: (prefix: string) => `${prefix}_other` };
  const other = await openTestServer(office.app, { parts, settings: { tokens: [] } });
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

/** One try to sign in, as a proxy passes it on. */
function signInFrom(server: TestServer, address: string, token: string) {
  const headers = { 'x-forwarded-for': address };
  return server.ask('/api/session', { method: 'POST', token: null, headers, body: { token } });
}

it('wrong tokens are guesses: 30 a minute and address, each in the audit, and they keep nobody else out', async () => {
  const office = await openOffice();
  const { store } = office.engine.io;
  const server = await openTestServer(office.app, {
    parts: { store },
    settings: { trustedProxies: ['127.0.0.0/8'], requestsPerMinute: 10 },
  });
  const statuses: number[] = [];
  for (let i = 0; i < 33; i += 1) statuses.push((await signInFrom(server, '203.0.113.7', `guess-${i}`)).status);
  expect(statuses).toEqual([...Array(30).fill(401), 429, 429, 429]);
  const failed = await findAudit(office.app, { limit: 100, actions: ['sign-in-failed'] });
  expect(failed.length).toBe(30);
  expect(failed[0]).toMatchObject({
    by: '(unknown)',
    detail: expect.stringMatching(/^from 203\.0\.113\.7, with a token/),
  });
  expect(JSON.stringify(failed)).not.toContain('guess-');
  // Neither an address in the same network, nor the right token from the same address, is refused.
  expect((await signInFrom(server, '203.0.113.8', 'guess')).status).toBe(401);
  expect((await signInFrom(server, '203.0.113.7', operatorToken)).status).toBe(200);
  // An IPv6 client has a whole network of addresses.
  for (let i = 0; i < 30; i += 1) await signInFrom(server, `2001:db8:0:1::${i.toString(16)}`, 'guess');
  expect((await signInFrom(server, '2001:db8:0:1:ffff::1', 'guess')).status).toBe(429);
  expect((await signInFrom(server, '2001:db8:0:2::1', 'guess')).status).toBe(401);
  // Visitors who only ask how to sign in use up nothing.
  for (let i = 0; i < 40; i += 1) expect((await server.ask('/api/session', { token: null })).status).toBe(200);
  expect((await signInFrom(server, '203.0.113.9', viewerToken)).status).toBe(200);
});

it('without a trusted proxy, the address that a client says is not believed', async () => {
  const server = await openTestServer((await openOffice()).app);
  for (let i = 0; i < 30; i += 1) expect((await signInFrom(server, `203.0.113.${i}`, 'guess')).status).toBe(401);
  expect((await signInFrom(server, '198.51.100.1', 'guess')).status).toBe(429);
  expect((await signInFrom(server, '198.51.100.1', operatorToken)).status).toBe(200);
});

const adminToken = 'admin-token-of-a-test---';
const withAdmin = {
  tokens: [
    { name: 'ops', role: 'operator', token: operatorToken },
    { name: 'root', role: 'admin', token: adminToken },
  ],
} as const;

it('an admin lists the sessions and ends them, and the event stream of a session ends with it', async () => {
  const { server, office, cookie, answer } = await openSignedIn(operatorToken, { settings: withAdmin });
  const other = await openAgain(server);
  const headers = { cookie: cookie.split(';')[0] ?? '' };
  const stream = await fetch(`${server.url}/api/events`, { headers });
  const reader = stream.body?.getReader();
  expect(stream.status).toBe(200);
  await reader?.read();

  expect(answer.json.rights).not.toContain('sessions');
  expect((await server.ask('/api/sessions')).status).toBe(403);
  const { sessions } = (await server.ask('/api/sessions', { token: adminToken })).json;
  expect(sessions).toMatchObject([{ name: 'token:ops', groups: [], method: 'token' }, { name: 'token:ops' }]);
  const secret = headers.cookie.split('=')[1] ?? '';
  expect(JSON.stringify(sessions)).not.toContain(secret);

  const end = (name: string) =>
    server.ask(`/api/sessions/${name}/end`, { method: 'POST', token: adminToken, body: { reason: 'left' } });
  expect((await end('nobody')).status).toBe(404);
  expect(await end('token:ops')).toMatchObject({
    status: 200,
    json: { sessions: [{ name: 'token:ops' }, { name: 'token:ops' }] },
  });
  expect((await other.get('/api/overview')).status).toBe(401);
  let isOver = false;
  const rest = (async () => {
    while ((await reader?.read())?.done === false);
    isOver = true;
  })();
  while (!isOver) {
    await server.clock.advance(1000);
    await idle(5);
  }
  await rest;
  expect((await server.ask('/api/sessions', { token: adminToken })).json.sessions).toEqual([]);
  expect(await findAudit(office.app, { limit: 5, actions: ['end-session'] })).toMatchObject([
    { by: 'token:root', detail: 'of token:ops', reason: 'left' },
    { by: 'token:root', detail: 'of token:ops' },
  ]);
});

it('several servers on one store know the session', async () => {
  const { office, cookie } = await openSignedIn();
  const other = await openTestServer(office.app, { parts: { store: office.engine.io.store } });
  const headers = { cookie: cookie.split(';')[0] ?? '' };
  expect((await other.ask('/api/session', { token: null, headers })).json).toMatchObject({ name: 'token:ops' });
});

it('a link signs in once and makes the next one; a session of it ends with the process', async () => {
  const office = await openOffice();
  const { store } = office.engine.io;
  const links: string[] = [];
  const options = {
    settings: { signInLink: 'admin' as const },
    parts: { store, onSignInLink: (address: string) => void links.push(address) },
  };
  const server = await openTestServer(office.app, options);
  const follow = (address: string) => fetch(address, { redirect: 'manual' });
  const [first = ''] = links;

  const answer = await follow(first);
  expect([answer.status, answer.headers.get('location')]).toEqual([302, '/']);
  const headers = { cookie: answer.headers.get('set-cookie')?.split(';')[0] ?? '' };
  expect((await server.ask('/api/session', { token: null, headers })).json).toMatchObject({
    ...{ isSignedIn: true, name: 'shell:link', role: 'admin', signIn: { link: true } },
  });

  expect(links).toHaveLength(2);
  expect((await follow(first)).headers.get('location')).toBe('/sign-in?problem=link');
  expect((await follow(`${server.url}/auth/link`)).headers.get('location')).toBe('/sign-in?problem=link');
  expect(JSON.stringify(server.log)).not.toContain(new URL(first).searchParams.get('code'));

  const later = await openTestServer(office.app, options);
  expect((await later.ask('/api/session', { token: null, headers })).json.isSignedIn).not.toBe(true);
});
