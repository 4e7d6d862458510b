import type { Configuration } from 'openid-client';
import { describeError } from '../../core/run/errors.ts';
import type { Clock, Logger } from '../../ports/runtime.ts';
import type { PendingSignIn, SessionRole, Sessions } from '../../ports/sessions.ts';
import { hashOf } from '../http/access.ts';
import type { OpenIdSettings } from '../settings.ts';

/** Time that a user has to answer the provider. */
export const answerWithinMs = 600_000;

/** Why a sign-in failed, for the page. */
export type SignInProblem = 'denied' | 'no-role' | 'expired' | 'failed';

export class SignInFailure extends Error {
  override readonly name = 'SignInFailure';
  readonly problem: SignInProblem;

  constructor(problem: SignInProblem, cause?: unknown) {
    super(problem, { cause });
    this.problem = problem;
  }
}

export interface SignedInUser {
  readonly name: string;
  readonly role: SessionRole;
  readonly target: string;
}

export interface OpenId {
  /** Returns the provider's address to send the browser to, and the state that the browser must keep. */
  begin(target: string): Promise<{ readonly location: string; readonly state: string }>;
  /** Reads the provider's answer. `state`: what the browser kept. Throws `SignInFailure`. */
  finish(query: string, state: string | undefined): Promise<SignedInUser>;
  /** Returns where the browser ends the provider's own session; undefined when it has no such address. */
  endAddress(): Promise<string | undefined>;
}

export interface OpenIdIo {
  readonly settings: OpenIdSettings;
  readonly publicUrl: string;
  readonly sessions: Sessions;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Pick<Logger, 'warn'>;
}

/** Opens sign-in by the authorization code flow with PKCE (RFC 7636). Reads the provider's configuration at the first use. */
export function openOpenId({ settings, publicUrl, sessions, clock, logger }: OpenIdIo): OpenId {
  let known: Promise<Configuration> | undefined;
  const provider = (): Promise<Configuration> => {
    known ??= discover(settings);
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
      const now = clock.now();
      await sessions.begin({ key: hashOf(state), verifier, nonce, target, expiresAt: now + answerWithinMs }, now);
      const location = client.buildAuthorizationUrl(config, {
        redirect_uri: callback,
        scope: settings.scopes.join(' '),
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
      });
      return { location: location.href, state };
    },

    async finish(query, state) {
      const client = await import('openid-client');
      // A browser that did not begin this sign-in has another state, or none.
      const isOwn = state !== undefined && new URLSearchParams(query).get('state') === state;
      const pending = isOwn ? await sessions.take(hashOf(state)) : undefined;
      if (pending === undefined || state === undefined || pending.expiresAt <= clock.now()) {
        throw new SignInFailure('expired');
      }
      const claims = await readClaims(new URL(`${callback}?${query}`), pending, state).catch((error: unknown) => {
        const isDenied = error instanceof client.AuthorizationResponseError && error.error === 'access_denied';
        // The provider's words may name the user.
        if (!isDenied) logger.warn({ error: nameOf(error) }, 'the identity provider did not sign a user in');
        throw new SignInFailure(isDenied ? 'denied' : 'failed', error);
      });
      const role = roleOf(claims[settings.groupsClaim], settings.roles);
      if (role === undefined) throw new SignInFailure('no-role');
      const named = claims[settings.nameClaim];
      const name = typeof named === 'string' && named !== '' ? named : String(claims.sub);
      return { name: name.slice(0, 100), role, target: pending.target };
    },

    async endAddress() {
      const client = await import('openid-client');
      const config = await provider().catch(() => undefined);
      if (config?.serverMetadata().end_session_endpoint === undefined) return undefined;
      return client.buildEndSessionUrl(config, { post_logout_redirect_uri: `${publicUrl}/sign-in` }).href;
    },
  };

  async function readClaims(
    answer: URL,
    { verifier, nonce }: PendingSignIn,
    state: string,
  ): Promise<Readonly<Record<string, unknown>>> {
    const client = await import('openid-client');
    const config = await provider();
    const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true };
    const tokens = await client.authorizationCodeGrant(config, answer, checks);
    const claims = tokens.claims();
    if (claims === undefined) throw new TypeError('the provider returned no ID token');
    const hasAll = [settings.groupsClaim, settings.nameClaim].every((name) => claims[name] !== undefined);
    if (hasAll || config.serverMetadata().userinfo_endpoint === undefined) return claims;
    // Some providers keep groups out of the ID token.
    return { ...(await client.fetchUserInfo(config, tokens.access_token, claims.sub)), ...claims };
  }
}

async function discover({ issuer, clientId, clientSecret }: OpenIdSettings): Promise<Configuration> {
  const client = await import('openid-client');
  const authentication = clientSecret === undefined ? client.None() : client.ClientSecretBasic(clientSecret);
  const server = new URL(issuer);
  // The configuration allows plain HTTP on this machine only.
  const execute = server.protocol === 'http:' ? [client.allowInsecureRequests] : [];
  return client.discovery(server, clientId, {}, authentication, { execute, timeout: 10 });
}

/** Returns the highest role of the user's groups. */
export function roleOf(groups: unknown, roles: OpenIdSettings['roles']): SessionRole | undefined {
  const names = [groups].flat().filter((group) => typeof group === 'string');
  const order = ['admin', 'operator', 'viewer'] as const;
  return order.find((role) => roles[role].some((group) => group === '*' || names.includes(group)));
}

function nameOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : describeName(error);
}

function describeName(error: unknown): string {
  return error instanceof Error ? error.name : describeError(error);
}
