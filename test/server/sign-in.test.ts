import { createServer, type Server } from 'node:http';
// @ts-expect-error: the package has no types, and the test needs few of them.
import Provider from 'oidc-provider';
import { afterEach, expect, it } from 'vitest';
import type { OpenIdSettings } from '../../src/server/settings.ts';
import { openOffice } from '../support/office.ts';
import { openTestServer, type TestServer } from './open-test-server.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const groups: Readonly<Record<string, readonly string[]>> = {
  ana: ['staff', 'hr-it'],
  bea: ['staff'],
  root: ['platform-admins'],
  eve: ['visitors'],
};
const secret = 'a-secret-of-the-client-of-this-test';

/** A real identity provider on this machine, whose users are those of `groups`. */
async function openProvider(callback: string, isPublic = false): Promise<string> {
  const web: Server = createServer();
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  const address = web.address();
  const issuer = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'rollcall',
        ...(isPublic ? { token_endpoint_auth_method: 'none' } : { client_secret: secret }),
        redirect_uris: [callback],
        post_logout_redirect_uris: [callback.replace('/auth/callback', '/sign-in')],
      },
    ],
    scopes: ['openid', 'email', 'groups'],
    claims: { openid: ['sub'], email: ['email'], groups: ['groups'] },
    pkce: { required: () => true },
    cookies: { keys: ['some key of a test'] },
    findAccount: (_context: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, email: `${id}@example.com`, groups: groups[id] ?? [] }),
    }),
  });
  web.on('request', provider.callback());
  closers.push(() => new Promise((resolve) => web.close(resolve).closeAllConnections()));
  return issuer;
}

/** Follows redirects and keeps cookies per host, as a browser does. */
function openBrowser() {
  const jars = new Map<string, Map<string, string>>();
  const visits: string[] = [];
  const go = async (address: string, form?: URLSearchParams): Promise<{ url: URL; status: number; text: string }> => {
    const url = new URL(address);
    const jar = jars.get(url.host) ?? new Map<string, string>();
    jars.set(url.host, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, {
      redirect: 'manual',
      headers: { ...(cookie === '' ? {} : { cookie }) },
      ...(form === undefined ? {} : { method: 'POST', body: form }),
    });
    visits.push(url.href);
    for (const set of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      if (value === '' || /max-age=0|expires=Thu, 01 Jan 1970/i.test(set)) jar.delete(name);
      else jar.set(name, value);
    }
    const location = answer.headers.get('location');
    const text = await answer.text();
    if (location !== null) return go(new URL(location, url).href);
    return { url, status: answer.status, text };
  };
  return { go, visits, cookies: (host: string) => Object.fromEntries(jars.get(host) ?? []) };
}

type Browser = ReturnType<typeof openBrowser>;

/** Fills in the forms of the provider: the name, and the consent. */
async function signIn(browser: Browser, server: TestServer, user: string, to = '/holds'): Promise<URL> {
  let page = await browser.go(`${server.url}/auth/sign-in?to=${encodeURIComponent(to)}`);
  for (const form of [{ prompt: 'login', login: user, password: 'x' }, { prompt: 'consent' }]) {
    const action = /<form[^>]* action="([^"]+)"/.exec(page.text)?.[1];
    if (action === undefined) break;
    page = await browser.go(new URL(action, page.url).href, new URLSearchParams(form as Record<string, string>));
  }
  return page.url;
}

async function openSignInServer(more: Partial<OpenIdSettings> = {}) {
  const office = await openOffice();
  const { store } = office.engine.io;
  // The address of the callback must be known before the server listens.
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  await new Promise((resolve) => probe.close(resolve));
  const publicUrl = `http://127.0.0.1:${port}`;
  const isPublic = 'clientSecret' in more;
  const issuer = await openProvider(`${publicUrl}/auth/callback`, isPublic);
  const openId: OpenIdSettings = {
    issuer,
    clientId: 'rollcall',
    clientSecret: secret,
    scopes: ['openid', 'email', 'groups'],
    nameClaim: 'email',
    groupsClaim: 'groups',
    roles: { viewer: ['staff'], operator: ['hr-it'], admin: ['platform-admins'] },
    label: 'Acme SSO',
    ...more,
  };
  if (isPublic) delete (openId as { clientSecret?: string }).clientSecret;
  const server = await openTestServer(office.app, { settings: { port, publicUrl, openId }, parts: { store } });
  const sessionOf = async (browser: Browser) => {
    const cookie = Object.entries(browser.cookies(new URL(publicUrl).host))
      .map(([name, value]) => `${name}=${value}`)
      .join('; ');
    return (await server.ask('/api/session', { token: null, headers: { cookie } })).json;
  };
  return { office, server, issuer, publicUrl, sessionOf };
}

it('a user signs in at the provider, with the highest role of the groups, and comes back to the page', async () => {
  const { office, server, sessionOf, publicUrl, issuer } = await openSignInServer();
  expect((await server.ask('/api/session', { token: null })).json.signIn).toEqual({ openId: 'Acme SSO', token: true });
  const browser = openBrowser();
  const url = await signIn(browser, server, 'ana', '/runs?sync=people');
  expect(url.href).toBe(`${publicUrl}/runs?sync=people`);
  const begun = new URL(browser.visits[1] ?? '');
  expect(begun.origin).toBe(issuer);
  expect(begun.searchParams.get('code_challenge_method')).toBe('S256');
  expect(await sessionOf(browser)).toMatchObject({
    ...{ isSignedIn: true, name: 'user:ana@example.com', role: 'operator', method: 'openid' },
  });
  expect(await office.app.audit({ limit: 1 })).toMatchObject([
    { by: 'user:ana@example.com', action: 'sign-in', detail: 'as operator' },
  ]);
  expect(browser.cookies(new URL(publicUrl).host)).not.toHaveProperty('rollcall_sign_in');
});

it('each group has its role, and a user without one gets no session', async () => {
  const { server, sessionOf, publicUrl } = await openSignInServer();
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
  const { server, sessionOf } = await openSignInServer({
    clientSecret: '',
    roles: { viewer: ['*'], operator: [], admin: [] },
  });
  const browser = openBrowser();
  await signIn(browser, server, 'eve');
  expect(await sessionOf(browser)).toMatchObject({ role: 'viewer', name: 'user:eve@example.com' });
});

it('an answer counts once, for the browser that began, and within ten minutes', async () => {
  const { server, publicUrl } = await openSignInServer();
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
  const action = /<form[^>]* action="([^"]+)"/.exec(page.text)?.[1] ?? '';
  const form = new URLSearchParams({ prompt: 'login', login: 'ana', password: 'x' });
  let next = await late.go(new URL(action, page.url).href, form);
  const consent = /<form[^>]* action="([^"]+)"/.exec(next.text)?.[1];
  if (consent !== undefined) {
    next = await late.go(new URL(consent, next.url).href, new URLSearchParams({ prompt: 'consent' }));
  }
  expect(next.url.href).toBe(expired);
});

it('no link leads to another site, and a provider that is away is told on the page', async () => {
  const { server, publicUrl } = await openSignInServer();
  for (const to of ['//evil.example', '/\\evil.example', 'https://evil.example', '/%5C..//x\nSet-Cookie:a']) {
    const browser = openBrowser();
    expect((await signIn(browser, server, 'ana', to)).origin, to).toBe(publicUrl);
  }
  const away = await openSignInServer({ issuer: 'http://127.0.0.1:1' });
  expect((await openBrowser().go(`${away.server.url}/auth/sign-in`)).url.href).toBe(
    `${away.publicUrl}/sign-in?problem=failed`,
  );
});
