import type { Answer } from '../../../drivers/http/transport.ts';
import type { Clock } from '../../../ports/runtime.ts';
import type { SourceBase } from '../../../ports/source.ts';
import type { AccessTokens } from '../../../ports/tokens.ts';
import { type OAuthClient, openClientCredentials, presentRefreshToken } from './oauth.ts';
import type { HttpAuth, HttpTls } from './settings.ts';

/** What a request carries to authenticate. */
export interface Credential {
  readonly headers: Readonly<Record<string, string>>;
  /** Generation of the token; undefined when the credential cannot be renewed. */
  readonly generation: number | undefined;
}

/** Provides credentials. One per source, with the same lifetime. */
export interface Authority {
  /** Returns the credential for one request. A signature (AWS) covers `target`. */
  credential(
    clock: Clock,
    signal: AbortSignal,
    target: { readonly method: string; readonly url: string },
  ): Promise<Credential>;
  /** Discards a credential after a 401. Returns false when no newer one is available. */
  renew(refused: Credential, clock: Clock, signal: AbortSignal): Promise<boolean>;
  /** Receives every accepted answer before its body is read, because some servers send the next token in a header. */
  accepted?(answer: Pick<Answer, 'header' | 'headerAll'>, credential: Credential, clock: Clock): void;
}

export function fixedAuthority(headers: Readonly<Record<string, string>>): Authority {
  return { credential: async () => ({ headers, generation: undefined }), renew: async () => false };
}

/**
 * Opens the authority of an `auth` section. `tls` also applies to the token endpoint. Sends nothing before the first
 * credential is needed. Throws `CONFIG_INVALID` when a setting is missing.
 */
export function openAuthority(auth: HttpAuth, base: SourceBase, timeoutMs: number, tls?: HttpTls): Authority {
  switch (auth.kind) {
    case 'none':
      return fixedAuthority({});
    case 'basic':
      return fixedAuthority({ authorization: basicAuthorization(auth.username, auth.password) });
    case 'bearer':
      return fixedAuthority({ authorization: `Bearer ${auth.token}` });
    case 'headers':
      return fixedAuthority(auth.headers);
    case 'client-credentials':
      return bearerAuthority(openClientCredentials(clientOf(auth, base, timeoutMs, tls)));
    case 'refresh-token': {
      const client = clientOf(auth, base, timeoutMs, tls);
      const { refreshToken } = auth;
      const exchange = (token: string, signal: AbortSignal) => presentRefreshToken(client, token, signal);
      const tokens = base.openTokens({ refreshToken, exchange, timeoutMs });
      return bearerAuthority(() => tokens);
    }
  }
}

/** Returns an authority with renewable bearer tokens (RFC 6750). */
export function bearerAuthority(open: (clock: Clock) => AccessTokens): Authority {
  return {
    async credential(clock, signal) {
      const { secret, generation } = await open(clock).current(signal);
      return { headers: { authorization: `Bearer ${secret}` }, generation };
    },
    async renew({ generation }, clock, signal) {
      if (generation === undefined) return false;
      await open(clock).renew(generation, signal);
      return true;
    },
    accepted(_answer, { generation }, clock) {
      if (generation !== undefined) open(clock).accepted(generation);
    },
  };
}

/** Returns a Basic authorization header (RFC 7617, UTF-8). */
export function basicAuthorization(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`, 'utf8').toString('base64')}`;
}

function clientOf(
  auth: Extract<HttpAuth, { kind: 'client-credentials' | 'refresh-token' }>,
  { egress }: Pick<SourceBase, 'egress'>,
  timeoutMs: number,
  tls: HttpTls,
): OAuthClient {
  const { tokenUrl, clientId, clientSecret, clientAuth, scope, parameters } = auth;
  return {
    tokenUrl,
    clientId,
    clientAuth,
    timeoutMs,
    tls,
    egress,
    ...(clientSecret === undefined ? {} : { clientSecret }),
    form: { ...(scope === undefined ? {} : { scope }), ...parameters },
  };
}

/**
 * Keeps the cookies that a server sets and sends them with later requests, so that all pages of a read come from the
 * machine that holds their snapshot. Open one per read. Only the client's own origin receives the cookies.
 */
export function withSessionCookies(authority: Authority): Authority {
  const jar = new Map<string, string>();
  return {
    async credential(clock, signal, target) {
      const credential = await authority.credential(clock, signal, target);
      if (jar.size === 0) return credential;
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
      return { ...credential, headers: { ...credential.headers, cookie } };
    },
    renew: (refused, clock, signal) => authority.renew(refused, clock, signal),
    accepted(answer, credential, clock) {
      for (const written of answer.headerAll('set-cookie')) keep(jar, written);
      authority.accepted?.(answer, credential, clock);
    },
  };
}

/** RFC 6265, 5.2: name and value before the first semicolon. `Max-Age=0` deletes a cookie. */
function keep(jar: Map<string, string>, written: string): void {
  const [pair = '', ...attributes] = written.split(';');
  const split = pair.indexOf('=');
  const name = pair.slice(0, split).trim();
  if (split < 1 || name === '') return;
  if (attributes.some((attribute) => /^\s*max-age\s*=\s*(?:0|-\d+)\s*$/i.test(attribute))) jar.delete(name);
  else jar.set(name, pair.slice(split + 1).trim());
}
