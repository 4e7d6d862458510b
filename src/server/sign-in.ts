import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Configuration, CustomFetch } from 'openid-client';
import { type AccessRole, grantWords } from '../core/guard/access.ts';
import { describeError, RollcallError } from '../core/run/errors.ts';
import type { Clock, Logger } from '../ports/runtime.ts';
import { type Caller, hashOf, type KnownToken, type TokenTable } from './http/access.ts';
import { type CookieSessions, type NewSession, readCookie, sessionOf } from './http/sessions.ts';
import { accessOf, type OpenIdSettings } from './settings.ts';

/** Who is signed in, and how. */
export interface SignIn {
  readonly tokens: TokenTable;
  readonly cookies: CookieSessions;
  /** Absent: no identity provider is configured. */
  readonly openId: OpenId | undefined;
  /** Absent: no links are configured. */
  readonly links: SignInLinks | undefined;
  readonly note: (
    action: 'sign-in' | 'sign-out' | 'end-session',
    caller: Pick<Caller, 'name' | 'label'>,
    detail?: string,
  ) => Promise<void>;
  /** Counts a request with a wrong token or signature, or none. Throws 429 above the limit of the address. */
  guessed(address: string): void;
  /** Counts and audits a sign-in that failed. Throws 429 above the limit of the address. */
  refused(address: string, how: string): Promise<void>;
}

/** Codes that sign in once. */
interface SignInLinks {
  /** The path with the present code, such as `/auth/link?code=…`. */
  path(): string;
  /** Returns whom the code signs in, and makes the next one; undefined for any other code. */
  take(code: string): KnownToken | undefined;
}

interface SignInIo extends Pick<SignIn, 'cookies' | 'note' | 'refused'> {
  readonly openId: OpenId;
  readonly isSecure: boolean;
  readonly logger: Pick<Logger, 'warn'>;
}

const stateCookie = 'rollcall_sign_in';

/** Serves the addresses of a browser that signs in at an identity provider. They answer with redirects. */
export function serveSignIn(app: FastifyInstance, io: SignInIo): void {
  const { openId, cookies, isSecure, note, refused, logger } = io;
  // The provider's redirect comes from another site, which Strict would not give the cookie.
  const keep = (pending: string, seconds: number): string =>
    `${stateCookie}=${pending}; Path=/auth; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;

  app.get('/auth/sign-in', async (request, reply) => {
    const { to } = request.query as { to?: unknown };
    try {
      const { location, kept } = await openId.begin(pathOf(to));
      return reply.header('set-cookie', keep(kept, answerWithinMs / 1000)).redirect(location, 302);
    } catch (error) {
      logger.warn({ error: causeOf(error) }, 'the identity provider cannot be reached');
      return toPage('failed', reply);
    }
  });

  app.get('/auth/callback', async (request, reply) => {
    const query = request.url.split('?')[1] ?? '';
    reply.header('set-cookie', keep('', 0));
    try {
      const { target, ...named } = await openId.finish(query, readCookie(request.headers.cookie, stateCookie));
      const { caller, cookie } = await cookies.open({ ...named, method: 'openid' });
      await note('sign-in', caller, `as ${caller.access.map(grantWords).join('; ')}`);
      return reply.header('set-cookie', cookie).redirect(target, 302);
    } catch (error) {
      if (!(error instanceof SignInFailure)) throw error;
      await refused(request.ip, `by OpenID Connect: ${error.problem}`);
      return toPage(error.problem, reply);
    }
  });
}

/** Serves the address that signs in once. It answers with a redirect. */
export function serveSignInLinks(
  app: FastifyInstance,
  {
    links,
    cookies,
    note,
    refused,
    home,
    onTaken,
  }: Pick<SignIn, 'cookies' | 'note' | 'refused'> & {
    readonly links: SignInLinks;
    readonly home: string;
    readonly onTaken: () => void;
  },
): void {
  app.get('/auth/link', async (request, reply) => {
    const { code } = request.query as { code?: unknown };
    const known = typeof code === 'string' ? links.take(code) : undefined;
    if (known === undefined) {
      await refused(request.ip, 'with a link that was used before, or is none');
      return toPage('link', reply);
    }
    const { caller, cookie } = await cookies.open(sessionOf(known));
    await note('sign-in', caller, `as ${caller.access.map(grantWords).join('; ')}, with the link of the terminal`);
    onTaken();
    return reply.header('set-cookie', cookie).redirect(home, 302);
  });
}

/** Opens the links of one process. Nothing of them is stored: a session that they open ends with the process. */
export function openSignInLinks(role: AccessRole): { readonly links: SignInLinks; readonly token: KnownToken } {
  // Anyone who can use the terminal has it, so it proves no more than a login of the machine.
  const token = { name: 'shell:link', access: [{ role }], hash: hashOf(randomBytes(32).toString('base64url')) };
  let code = randomBytes(24).toString('base64url');
  return {
    token,
    links: {
      path: () => `/auth/link?code=${code}`,
      take(given) {
        if (!timingSafeEqual(Buffer.from(hashOf(given)), Buffer.from(hashOf(code)))) return undefined;
        code = randomBytes(24).toString('base64url');
        return token;
      },
    },
  };
}

function toPage(problem: SignInProblem | 'link', reply: FastifyReply): FastifyReply {
  return reply.redirect(`/sign-in?problem=${problem}`, 302);
}

/** Time that a user has to answer the provider. */
const answerWithinMs = 600_000;

/** Why a sign-in failed, for the page. */
type SignInProblem = 'denied' | 'no-role' | 'expired' | 'failed';

class SignInFailure extends Error {
  override readonly name = 'SignInFailure';
  readonly problem: SignInProblem;

  constructor(problem: SignInProblem, cause?: unknown) {
    super(problem, { cause });
    this.problem = problem;
  }
}

interface SignedInUser extends Pick<NewSession, 'name' | 'label' | 'groups' | 'origin'> {
  readonly target: string;
}

interface OpenId {
  /** Returns the provider's address to send the browser to, and what the browser must keep until it comes back. */
  begin(target: string): Promise<{ readonly location: string; readonly kept: string }>;
  /** Reads the provider's answer. `kept`: what the browser kept. Throws `SignInFailure`. */
  finish(query: string, kept: string | undefined): Promise<SignedInUser>;
  /** Returns where the browser ends the provider's own session; undefined when it has no such address. */
  endAddress(): Promise<string | undefined>;
}

interface OpenIdIo {
  readonly settings: OpenIdSettings;
  readonly publicUrl: string;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Pick<Logger, 'warn'>;
  /** Sends requests as the rest of Rollcall does: through the proxies of the environment. */
  readonly fetch: typeof globalThis.fetch;
}

/**
 * A sign-in that the provider has not answered yet. The browser keeps it, so that a visitor who begins many of them takes
 * no room from others. The provider accepts each of its answers once.
 */
interface PendingSignIn {
  readonly state: string;
  readonly verifier: string;
  readonly nonce: string;
  /** The page to show afterwards, a path. */
  readonly target: string;
  readonly expiresAt: number;
}

/** Opens sign-in by the authorization code flow with PKCE (RFC 7636). Reads the provider's configuration at the first use. */
export function openOpenId({ settings, publicUrl, clock, logger, fetch }: OpenIdIo): OpenId {
  let known: Promise<Configuration> | undefined;
  const provider = (): Promise<Configuration> => {
    known ??= discover(settings, fetch);
    // A provider that was away is asked again at the next sign-in.
    known.catch(() => {
      known = undefined;
    });
    return known;
  };
  const callback = `${publicUrl}/auth/callback`;

  return {
    async begin(target) {
      const client = await import('openid-client');
      const config = await provider();
      const verifier = client.randomPKCECodeVerifier();
      const nonce = client.randomNonce();
      const state = client.randomState();
      const pending: PendingSignIn = { state, verifier, nonce, target, expiresAt: clock.now() + answerWithinMs };
      const location = client.buildAuthorizationUrl(config, {
        redirect_uri: callback,
        scope: settings.scopes.join(' '),
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
      });
      return { location: location.href, kept: Buffer.from(JSON.stringify(pending)).toString('base64url') };
    },

    async finish(query, kept) {
      const client = await import('openid-client');
      // A browser that did not begin this sign-in has another state, or none.
      const pending = readPending(kept);
      const isOwn = pending !== undefined && new URLSearchParams(query).get('state') === pending.state;
      if (!isOwn || pending.expiresAt <= clock.now()) throw new SignInFailure('expired');
      const claims = await readClaims(new URL(`${callback}?${query}`), pending).catch((error: unknown) => {
        const isDenied = error instanceof client.AuthorizationResponseError && error.error === 'access_denied';
        // The provider's words may name the user.
        if (!isDenied) logger.warn({ error: causeOf(error) }, 'the identity provider did not sign a user in');
        throw new SignInFailure(isDenied ? 'denied' : 'failed', error);
      });
      const groups = [claims[settings.groupsClaim]].flat().filter((group) => typeof group === 'string');
      if (accessOf(groups, settings.roles).length === 0) throw new SignInFailure('no-role');
      // An issuer of many tenants names each user by the issuer of the tenant, within which alone a subject is unique.
      const isIssuers = claims.iss === (await provider()).serverMetadata().issuer;
      const subject = isIssuers ? claims.sub : `${claims.iss}#${claims.sub}`;
      return {
        name: `user:${subject}`,
        label: labelOf(claims),
        groups,
        origin: settings.issuer,
        target: pending.target,
      };
    },

    async endAddress() {
      const client = await import('openid-client');
      const config = await provider().catch(() => undefined);
      if (config?.serverMetadata().end_session_endpoint === undefined) return undefined;
      return client.buildEndSessionUrl(config, { post_logout_redirect_uri: `${publicUrl}/sign-in` }).href;
    },
  };

  /** Returns the name to show: no identity, since the provider may change it, or give it to another user. */
  function labelOf(claims: Readonly<Record<string, unknown>>): string | undefined {
    const { nameClaim } = settings;
    const named = claims[nameClaim];
    // Some providers send the flag as text.
    const isUnverified = nameClaim === 'email' && String(claims.email_verified) === 'false';
    if (typeof named !== 'string' || isUnverified) return undefined;
    return [...named.replace(/\p{Cc}/gu, '').trim()].slice(0, 100).join('') || undefined;
  }

  async function readClaims(
    answer: URL,
    { verifier, nonce, state }: PendingSignIn,
  ): Promise<Readonly<Record<string, unknown>>> {
    const client = await import('openid-client');
    const config = await provider();
    const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true };
    const tokens = await client.authorizationCodeGrant(config, answer, checks);
    const claims = tokens.claims();
    if (claims === undefined) throw new TypeError('the provider returned no ID token');
    if (claims.sub === '') throw new TypeError('the subject of the ID token is empty');
    const hasAll = [settings.groupsClaim, settings.nameClaim].every((name) => claims[name] !== undefined);
    if (hasAll || config.serverMetadata().userinfo_endpoint === undefined) return claims;
    // Some providers keep groups out of the ID token.
    return { ...(await client.fetchUserInfo(config, tokens.access_token, claims.sub)), ...claims };
  }
}

async function discover(
  { issuer, clientId, clientSecret }: OpenIdSettings,
  fetch: OpenIdIo['fetch'],
): Promise<Configuration> {
  const client = await import('openid-client');
  const authentication = clientSecret === undefined ? client.None() : client.ClientSecretBasic(clientSecret);
  const server = new URL(issuer);
  // The configuration allows plain HTTP on this machine only.
  const plain = server.protocol === 'http:' ? [client.allowInsecureRequests] : [];
  // Without these checks any key, or none, signs for the provider.
  const execute = [client.enableNonRepudiationChecks, ...plain];
  const sending = { execute, timeout: 10, [client.customFetch]: fetch as CustomFetch };
  return client.discovery(server, clientId, {}, authentication, sending);
}

/** Returns what the browser kept. It is the browser's own, so a forged one signs no other user in. */
function readPending(kept: string | undefined): PendingSignIn | undefined {
  try {
    const found = JSON.parse(Buffer.from(kept ?? '', 'base64url').toString()) as PendingSignIn;
    const { state, verifier, nonce, target, expiresAt } = found;
    const isWhole = [state, verifier, nonce, target].every((text) => typeof text === 'string' && text !== '');
    return isWhole && typeof expiresAt === 'number' ? { ...found, target: pathOf(target) } : undefined;
  } catch {
    return undefined;
  }
}

/** Returns a path of this server: a link must not send a user who signs in to another site. */
function pathOf(to: unknown): string {
  if (typeof to !== 'string' || to.length > 500 || !/^\/(?![/\\])[^\\\p{Cc}]*$/u.test(to)) return '/';
  const url = new URL(to, 'http://here.invalid');
  return url.host === 'here.invalid' ? `${url.pathname}${url.search}${url.hash}` : '/';
}

/** Names why an exchange with the provider failed: what the network said, or the provider's own code. */
function causeOf(error: unknown): string {
  const codes: string[] = [];
  for (let link = error; link instanceof Error && codes.length < 8; link = link.cause) {
    if (link instanceof RollcallError) return link.message;
    // The library's code says which check failed. Its message may quote the answer.
    const code = 'error' in link ? link.error : 'code' in link ? link.code : undefined;
    if (typeof code === 'string') codes.push(code.replace(/[^\w.:-]/g, '_'));
  }
  return codes.length === 0 ? describeError(error) : codes.join(', ');
}
