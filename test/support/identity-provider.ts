import { createServer, type Server } from 'node:http';
// @ts-expect-error: the package has no types, and the test needs few of them.
import Provider from 'oidc-provider';
import { onTestFinished } from 'vitest';
import type { ApprovalSettings } from '../../src/core/guard/approvals.ts';
import { given } from '../../src/core/run/given.ts';
import type { OpenIdSettings } from '../../src/server/settings.ts';
import { openTestServer } from '../server/open-test-server.ts';
import { openOffice } from './office.ts';

const groups: Readonly<Record<string, readonly string[]>> = {
  ana: ['staff', 'hr-it'],
  bea: ['staff'],
  root: ['platform-admins'],
  eve: ['visitors'],
};
const secret = 'a-secret-of-the-client-of-this-test';

/** What the provider says of a user besides, by login. A test may change it between two sign-ins. */
type Claims = Record<string, Readonly<Record<string, unknown>>>;

/** A real identity provider on this machine, whose users are those of `groups`. */
async function openProvider(callback: string, isPublic: boolean, claims: Claims): Promise<string> {
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
  // The address of the callback must be known before the server listens.
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  await new Promise((resolve) => probe.close(resolve));
  const publicUrl = `http://127.0.0.1:${port}`;
  const isPublic = 'clientSecret' in more;
  const issuer = await openProvider(`${publicUrl}/auth/callback`, isPublic, claims);
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
  const app = { ...office.app, engine: { ...office.app.engine, ...given({ approvals }) } };
  const server = await openTestServer(app, {
    settings: { port, publicUrl, openId },
    parts: { store, fetch: sent },
  });
  return { office, server, issuer, publicUrl, openId };
}
