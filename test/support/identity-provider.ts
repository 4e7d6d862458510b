import { createServer, type Server } from 'node:http';
// @ts-expect-error: the package has no types, and the test needs few of them.
import Provider from 'oidc-provider';
import { onTestFinished } from 'vitest';
import type { ApprovalSettings } from '../../src/core/guard/approvals.ts';
import { given } from '../../src/core/run/given.ts';
import type { OpenIdSettings } from '../../src/server/settings.ts';
import { openTestServer } from '../server/open-test-server.ts';
import { openOffice } from './office.ts';
import { freePort } from './services/programs.ts';

const groups: Readonly<Record<string, readonly string[]>> = {
  ana: ['staff', 'hr-it'],
  bea: ['staff'],
  root: ['platform-admins'],
  eve: ['visitors'],
};
export const clientSecret = 'a-secret-of-the-client-of-this-test';

/** What the provider says of a user besides, by login. A test may change it between two sign-ins. */
type Claims = Record<string, Readonly<Record<string, unknown>>>;

/** A real identity provider on this machine, whose users are those of `groups`. */
export async function openProvider(callback: string, isPublic = false, claims: Claims = {}): Promise<string> {
  const web: Server = createServer();
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  const address = web.address();
  const issuer = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'rollcall',
        ...(isPublic ? { token_endpoint_auth_method: 'none' } : { client_secret: clientSecret }),
        redirect_uris: [callback],
        post_logout_redirect_uris: [callback.replace('/auth/callback', '/sign-in')],
      },
    ],
    scopes: ['openid', 'email', 'groups'],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], groups: ['groups'] },
    pkce: { required: () => true },
    cookies: { keys: ['some key of a test'] },
    findAccount: (_context: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, email: `${id}@example.com`, groups: groups[id] ?? [], ...claims[id] }),
    }),
  });
  web.on('request', provider.callback());
  onTestFinished(() => new Promise<void>((resolve) => void web.close(() => resolve()).closeAllConnections()));
  return issuer;
}

/** A server whose users sign in at a real identity provider. Both are closed after the test. */
export async function openSignInServer(
  more: Partial<OpenIdSettings> = {},
  sent = fetch,
  { claims = {}, approvals }: { readonly claims?: Claims; readonly approvals?: ApprovalSettings } = {},
) {
  const office = await openOffice();
  const { store } = office.engine.io;
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  const isPublic = 'clientSecret' in more;
  const issuer = await openProvider(`${publicUrl}/auth/callback`, isPublic, claims);
  const openId: OpenIdSettings = {
    issuer,
    clientId: 'rollcall',
    clientSecret,
    scopes: ['openid', 'email', 'groups'],
    nameClaim: 'email',
    groupsClaim: 'groups',
    roles: { viewer: ['staff'], operator: ['hr-it'], admin: ['platform-admins'] },
    label: 'Acme SSO',
    ...more,
  };
  if (isPublic) delete (openId as { clientSecret?: string }).clientSecret;
  const app = { ...office.app, engine: { ...office.app.engine, ...given({ approvals }) } };
  const server = await openTestServer(app, {
    settings: { port, publicUrl, openId },
    parts: { store, fetch: sent },
  });
  return { office, server, issuer, publicUrl, openId };
}

/** Follows redirects and keeps cookies per host, as a browser does. */
export function openBrowser() {
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

export type Browser = ReturnType<typeof openBrowser>;

/** Fills in the forms of the provider: the name, and the consent. */
export async function answerForms(
  browser: Browser,
  begun: Awaited<ReturnType<Browser['go']>>,
  user: string,
): Promise<URL> {
  let page = begun;
  for (const form of [{ prompt: 'login', login: user, password: 'x' }, { prompt: 'consent' }]) {
    const action = /<form[^>]* action="([^"]+)"/.exec(page.text)?.[1];
    if (action === undefined) break;
    page = await browser.go(new URL(action, page.url).href, new URLSearchParams(form as Record<string, string>));
  }
  return page.url;
}
