import { createHmac, createPublicKey, generateKeyPairSync, type JsonWebKey, sign } from 'node:crypto';
import { expect, it } from 'vitest';
import { findAudit } from '../../src/app/audit.ts';
import { openFetch } from '../../src/drivers/http/sockets.ts';
import type { OpenIdSettings } from '../../src/server/settings.ts';
import { startProxy } from '../support/http-proxy.ts';
import {
  answerForms,
  type Browser,
  clientSecret,
  openBrowser,
  openSignInServer,
} from '../support/identity-provider.ts';
import { employees } from '../support/office.ts';
import { openTestServer, type TestServer } from './open-test-server.ts';

async function signIn(browser: Browser, server: TestServer, user: string, to = '/holds'): Promise<URL> {
  const page = await browser.go(`${server.url}/auth/sign-in?to=${encodeURIComponent(to)}`);
  return answerForms(browser, page, user);
}

async function openSignIn(
  more: Partial<OpenIdSettings> = {},
  sent = openFetch(undefined),
  setup: Parameters<typeof openSignInServer>[2] = {},
) {
  const opened = await openSignInServer(more, sent, setup);
  const { server, publicUrl } = opened;
  const cookieOf = (browser: Browser): string =>
    Object.entries(browser.cookies(new URL(publicUrl).host))
      .map(([name, value]) => `${name}=${value}`)
      .join('; ');
  const sessionOf = async (browser: Browser) =>
    (await server.ask('/api/session', { token: null, headers: { cookie: cookieOf(browser) } })).json;
  /** Posts as the user whom the browser signed in. */
  const post = async (browser: Browser, path: string) => {
    const headers = { cookie: cookieOf(browser), 'x-csrf-token': (await sessionOf(browser)).csrf as string };
    return server.ask(path, { method: 'POST', token: null, headers, body: {} });
  };
  return { ...opened, cookieOf, sessionOf, post };
}

it('a user signs in at the provider, with the highest role of the groups, and comes back to the page', async () => {
  const { office, server, sessionOf, publicUrl, issuer } = await openSignIn();
  expect((await server.ask('/api/session', { token: null })).json.signIn).toEqual({
    openId: 'Acme SSO',
    token: true,
    link: false,
  });
  const browser = openBrowser();
  const url = await signIn(browser, server, 'ana', '/runs?sync=people');
  expect(url.href).toBe(`${publicUrl}/runs?sync=people`);
  const begun = new URL(browser.visits[1] ?? '');
  expect(begun.origin).toBe(issuer);
  expect(begun.searchParams.get('code_challenge_method')).toBe('S256');
  expect(await sessionOf(browser)).toMatchObject({
    ...{ isSignedIn: true, name: 'user:ana', label: 'ana@example.com', role: 'operator', method: 'openid' },
  });
  expect(await findAudit(office.app, { limit: 1 })).toMatchObject([
    { by: 'user:ana', label: 'ana@example.com', action: 'sign-in', detail: 'as viewer; operator' },
  ]);
  expect(browser.cookies(new URL(publicUrl).host)).not.toHaveProperty('rollcall_sign_in');
});

it('each group has its role, and a user without one gets no session', async () => {
  const { server, sessionOf, publicUrl } = await openSignIn();
  for (const [user, role] of [
    ['bea', 'viewer'],
    ['root', 'admin'],
  ] as const) {
    const browser = openBrowser();
    await signIn(browser, server, user);
    expect(await sessionOf(browser)).toMatchObject({ role });
  }
  const eve = openBrowser();
  expect((await signIn(eve, server, 'eve')).href).toBe(`${publicUrl}/sign-in?problem=no-role`);
  expect(await sessionOf(eve)).toMatchObject({ isSignedIn: false });
});

it('a public client proves itself by PKCE alone, and every user of the provider can be a viewer', async () => {
  const { server, sessionOf } = await openSignIn({
    clientSecret: '',
    roles: { viewer: ['*'], operator: [], admin: [] },
  });
  const browser = openBrowser();
  await signIn(browser, server, 'eve');
  expect(await sessionOf(browser)).toMatchObject({ role: 'viewer', name: 'user:eve', label: 'eve@example.com' });
});

it('an answer counts once, for the browser that began, and within ten minutes', async () => {
  const { server, publicUrl } = await openSignIn();
  const browser = openBrowser();
  await signIn(browser, server, 'ana');
  const answered = browser.visits.find((visit) => visit.startsWith(`${publicUrl}/auth/callback`)) ?? '';
  const expired = `${publicUrl}/sign-in?problem=expired`;
  expect((await browser.go(answered)).url.href).toBe(expired);
  expect((await openBrowser().go(answered)).url.href).toBe(expired);
  expect((await openBrowser().go(`${publicUrl}/auth/callback?code=x&state=y`)).url.href).toBe(expired);
  const late = openBrowser();
  const page = await late.go(`${server.url}/auth/sign-in`);
  await server.clock.advance(11 * 60_000);
  expect((await answerForms(late, page, 'ana')).href).toBe(expired);
});

it('no link leads to another site, and a provider that is away is told on the page', async () => {
  const { server, publicUrl } = await openSignIn();
  for (const to of ['//evil.example', '/\\evil.example', 'https://evil.example', '/%5C..//x\nSet-Cookie:a']) {
    const browser = openBrowser();
    expect((await signIn(browser, server, 'ana', to)).origin, to).toBe(publicUrl);
  }
  const away = await openSignIn({ issuer: 'http://127.0.0.1:2' });
  // Whoever begins a thousand sign-ins, and fails some, keeps nobody else out.
  const eager = openBrowser();
  for (let i = 0; i < 35; i += 1) await eager.go(`${server.url}/auth/callback?code=x&state=${i}`);
  const ana = openBrowser();
  expect((await signIn(ana, server, 'ana')).pathname).toBe('/holds');
  expect((await openBrowser().go(`${away.server.url}/auth/sign-in`)).url.href).toBe(
    `${away.publicUrl}/sign-in?problem=failed`,
  );
  expect(away.server.log.text()).toContain('127.0.0.1:2 did not answer: the connection was refused (ECONNREFUSED)');
});

it('the provider is asked through the proxy of the environment, and a proxy that refuses is named', async () => {
  const proxies = { open: '', closed: '' };
  const egress = (name: keyof typeof proxies) => ({ proxyFor: () => proxies[name] });
  const { server, issuer } = await openSignIn({}, openFetch(egress('open')));
  const proxy = await startProxy(Number(new URL(issuer).port));
  proxies.open = `http://127.0.0.1:${proxy.port}`;
  expect((await signIn(openBrowser(), server, 'ana')).pathname).toBe('/holds');
  expect(proxy.seen).toContain(`GET ${issuer}/.well-known/openid-configuration`);
  expect(proxy.seen).toContain(`POST ${issuer}/token`);

  const refusing = await startProxy(1, 'ana:secret');
  proxies.closed = `http://127.0.0.1:${refusing.port}`;
  const other = await openSignIn({}, openFetch(egress('closed')));
  await openBrowser().go(`${other.server.url}/auth/sign-in`);
  expect(other.server.log.text()).toMatch(/the identity provider cannot be reached/);
  expect(other.server.log.text()).toContain('407');
});

type Jwt = { readonly header: object; readonly body: string };

const foreign = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const signed = (text: string, signature: Buffer): string => `${text}.${signature.toString('base64url')}`;
const textOf = ({ header, body }: Jwt, more: object): string =>
  `${Buffer.from(JSON.stringify({ ...header, ...more })).toString('base64url')}.${body}`;
const signByForeign = (jwt: Jwt, more: object): string => {
  const text = textOf(jwt, more);
  return signed(text, sign('sha256', Buffer.from(text), foreign));
};

it.each<[string, (jwt: Jwt, publicKey: JsonWebKey) => string | undefined, boolean]>([
  ['the key of the provider', () => undefined, true],
  ['another key', (jwt) => signByForeign(jwt, {}), false],
  ['another key under an unknown id', (jwt) => signByForeign(jwt, { kid: 'unknown' }), false],
  [
    'another key under no id',
    ({ header, body }) => signByForeign({ header: { ...header, kid: undefined }, body }, {}),
    false,
  ],
  ['no key', (jwt) => `${textOf(jwt, { alg: 'none' })}.`, false],
  [
    'the public key as a shared one',
    (jwt, key) => {
      const text = textOf(jwt, { alg: 'HS256' });
      const pem = createPublicKey({ key, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
      return signed(text, createHmac('sha256', pem).update(text).digest());
    },
    false,
  ],
  [
    'the secret of the client',
    (jwt) => {
      const text = textOf(jwt, { alg: 'HS256' });
      return signed(text, createHmac('sha256', clientSecret).update(text).digest());
    },
    false,
  ],
])('an ID token that is signed with %s', async (_key, forge, isIn) => {
  const plain = openFetch(undefined);
  const sent: typeof fetch = async (input, init) => {
    const answer = await plain(input, init);
    const url = new URL(input instanceof Request ? input.url : input);
    if (url.pathname !== '/token' && !url.pathname.startsWith('/.well-known')) return answer;
    const said = (await answer.json()) as { id_token: string };
    if (url.pathname !== '/token') {
      // A provider that lists them all, so that only the signature decides.
      return Response.json({ ...said, id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'] });
    }
    const [header = '', body = ''] = said.id_token.split('.');
    const { keys } = (await (await plain(`${url.origin}/jwks`)).json()) as { keys: [JsonWebKey] };
    const forged = forge({ header: JSON.parse(Buffer.from(header, 'base64url').toString()), body }, keys[0]);
    return Response.json({ ...said, id_token: forged ?? said.id_token });
  };
  const { server, sessionOf } = await openSignIn({}, sent);
  const root = openBrowser();
  expect((await signIn(root, server, 'root')).search).toBe(isIn ? '' : '?problem=failed');
  expect(await sessionOf(root)).toMatchObject({ isSignedIn: isIn });
});

it('a person is the subject: other addresses approve once, and a name like a group, a token or a user is nobody', async () => {
  const claims: Record<string, Record<string, unknown>> = {
    eve: { email: 'eve@x.test', groups: ['hr-it'] },
    mia: { email: 'mia@x.test', groups: ['hr-it'] },
    'hr-it': { email: 'hr-it', groups: ['desk'] },
    ops: { email: 'token:ops', groups: ['desk'] },
    leo: { email: 'user:lea', groups: ['desk', 'user:lea'] },
    Lea: { email: 'group:hr-it', groups: ['desk'] },
  };
  const rule = { approvers: 2, above: 0, by: ['group:hr-it', 'token:ops', 'user:lea'], notRequester: true };
  const { office, server, post } = await openSignIn({ roles: { operator: ['hr-it', 'desk'] } }, undefined, {
    claims,
    approvals: { isReasonRequired: false, rules: { disables: rule } },
  });
  await office.writeEmployees(employees(30));
  await office.applyAll();
  const left = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`E${i + 1}`, { status: 'left' }]));
  const { run } = await office.applyRows(employees(30, left));
  const approveAs = async (user: string) => {
    const browser = openBrowser();
    await signIn(browser, server, user);
    return post(browser, `/api/runs/${run.id}/approve`);
  };
  for (const user of ['hr-it', 'ops', 'leo', 'Lea']) {
    const refused = { status: 409, json: { detail: expect.stringContaining('may not approve this class') } };
    expect(await approveAs(user), user).toMatchObject(refused);
  }
  for (const email of ['eve@x.test', 'eve+2@x.test', 'EVE@X.TEST']) {
    claims.eve = { ...claims.eve, email };
    expect(await approveAs('eve'), email).toMatchObject({ status: 200, json: { changes: 0, pending: 9 } });
  }
  const { approvals } = (await server.ask('/api/holds')).json.holds[0];
  expect(approvals).toMatchObject([{ of: 2, by: ['EVE@X.TEST (user:eve)'] }]);
  // An address that another user had names nobody else.
  claims.mia = { ...claims.mia, email: 'eve@x.test' };
  expect(await approveAs('mia')).toMatchObject({ status: 200, json: { changes: 9, pending: 0 } });
});

it('the shown name is a label: not an address that the provider did not verify, no control characters', async () => {
  const claims: Record<string, Record<string, unknown>> = {};
  const { server, sessionOf } = await openSignIn({}, undefined, { claims });
  for (const email_verified of [false, 'false']) {
    claims.ana = { email: 'root@example.com', email_verified };
    const browser = openBrowser();
    await signIn(browser, server, 'ana');
    expect(await sessionOf(browser)).toMatchObject({ name: 'user:ana', label: null });
  }
  claims.ana = { email: 'ana\u001b[2J@example.com\n' };
  const again = openBrowser();
  await signIn(again, server, 'ana');
  expect(await sessionOf(again)).toMatchObject({ name: 'user:ana', label: 'ana[2J@example.com' });
});

it('a right that a session regains and loses again is audited each time that it is lost', async () => {
  const { office, server, openId, cookieOf } = await openSignIn();
  const browser = openBrowser();
  await signIn(browser, server, 'ana');
  const lower = { viewer: ['hr-it'] };
  for (const [at, roles] of [lower, lower, openId.roles, openId.roles, lower].entries()) {
    const now = await openTestServer(office.app, {
      settings: { publicUrl: server.url, openId: { ...openId, roles } },
      parts: { ...{ store: office.engine.io.store, clock: server.clock }, newId: (prefix) => `${prefix}_${at}` },
    });
    await now.ask('/api/session', { token: null, headers: { cookie: cookieOf(browser) } });
  }
  const said = await findAudit(office.app, { limit: 9, actions: ['lose-right'] });
  expect(said.map(({ detail }) => detail)).toEqual(Array(2).fill('of user:ana: was operator, is viewer'));
});

it.each<[string, Partial<OpenIdSettings> | undefined, string | undefined, string | undefined]>([
  ['the same', {}, 'operator', undefined],
  ['a lower role', { roles: { viewer: ['hr-it'] } }, 'viewer', 'lose-right of user:ana: was operator, is viewer'],
  [
    'a scope',
    { roles: { operator: [{ group: 'hr-it', syncs: ['people'] }] } },
    'operator',
    'lose-right of user:ana: was viewer; operator, is operator of people',
  ],
  [
    'no role for the group',
    { roles: { admin: ['platform-admins'] } },
    undefined,
    'end-session of user:ana: was viewer; operator, has no role',
  ],
  [
    'another issuer',
    { issuer: 'https://login.example.com' },
    undefined,
    'end-session of user:ana: was viewer; operator, has no role',
  ],
  ['no OpenID Connect', undefined, undefined, 'end-session of user:ana: was viewer; operator, has no role'],
])('a session has the rights of the configuration of now, and the audit what it lost: %s', async (...row) => {
  const [, edit, role, lost] = row;
  const { office, server, openId, cookieOf } = await openSignIn();
  const browser = openBrowser();
  await signIn(browser, server, 'ana');
  const asked = { token: null, headers: { cookie: cookieOf(browser) } };
  // Each process says what the configuration allows. One of them says what was lost.
  for (const process of ['one', 'two']) {
    const now = await openTestServer(office.app, {
      settings: { publicUrl: server.url, ...(edit === undefined ? {} : { openId: { ...openId, ...edit } }) },
      parts: {
        ...{ store: office.engine.io.store, clock: server.clock },
        newId: (prefix) => `${prefix}_${process}`,
      },
    });
    const [{ json }, overview] = await Promise.all([now.ask('/api/session', asked), now.ask('/api/overview', asked)]);
    expect(json).toMatchObject({ role: role ?? null });
    expect(overview.status).toBe(role === undefined ? 401 : 200);
  }
  const said = await findAudit(office.app, { limit: 9, actions: ['lose-right', 'end-session'] });
  expect(said.map(({ by, action, detail }) => `${by}: ${action} ${detail}`)).toEqual(
    lost === undefined ? [] : [`configuration: ${lost}`],
  );
});
