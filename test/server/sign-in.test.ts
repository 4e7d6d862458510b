import { expect, it } from 'vitest';
import { findAudit } from '../../src/app/audit.ts';
import { openFetch } from '../../src/drivers/http/transport.ts';
import type { OpenIdSettings } from '../../src/server/settings.ts';
import { startProxy } from '../support/http-proxy.ts';
import { openSignInServer } from '../support/identity-provider.ts';
import type { TestServer } from './open-test-server.ts';

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
async function answerForms(browser: Browser, begun: Awaited<ReturnType<Browser['go']>>, user: string): Promise<URL> {
  let page = begun;
  for (const form of [{ prompt: 'login', login: user, password: 'x' }, { prompt: 'consent' }]) {
    const action = /<form[^>]* action="([^"]+)"/.exec(page.text)?.[1];
    if (action === undefined) break;
    page = await browser.go(new URL(action, page.url).href, new URLSearchParams(form as Record<string, string>));
  }
  return page.url;
}

async function signIn(browser: Browser, server: TestServer, user: string, to = '/holds'): Promise<URL> {
  const page = await browser.go(`${server.url}/auth/sign-in?to=${encodeURIComponent(to)}`);
  return answerForms(browser, page, user);
}

async function openSignIn(more: Partial<OpenIdSettings> = {}, sent = openFetch(undefined)) {
  const opened = await openSignInServer(more, sent);
  const { server, publicUrl } = opened;
  const sessionOf = async (browser: Browser) => {
    const cookie = Object.entries(browser.cookies(new URL(publicUrl).host))
      .map(([name, value]) => `${name}=${value}`)
      .join('; ');
    return (await server.ask('/api/session', { token: null, headers: { cookie } })).json;
  };
  return { ...opened, sessionOf };
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
    ...{ isSignedIn: true, name: 'user:ana@example.com', role: 'operator', method: 'openid' },
  });
  expect(await findAudit(office.app, { limit: 1 })).toMatchObject([
    { by: 'user:ana@example.com', action: 'sign-in', detail: 'as viewer; operator' },
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
  expect(await sessionOf(browser)).toMatchObject({ role: 'viewer', name: 'user:eve@example.com' });
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
