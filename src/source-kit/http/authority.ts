import type { Answer } from '../../http/transport.ts';
import type { Clock } from '../../ports/runtime.ts';
import type { SourceBase } from '../../ports/source.ts';
import type { AccessTokens } from '../../ports/tokens.ts';
import type { HttpAuth } from './auth-settings.ts';
import { openClientCredentials } from './client-credentials.ts';
import { type OAuthClient, presentRefreshToken } from './oauth.ts';
import type { HttpTls } from './settings.ts';

/** What goes along with a request to show who asks. */
export interface Credential {
  readonly headers: Readonly<Record<string, string>>;
  /** Of the token; undefined when there is nothing that could be renewed. */
  readonly generation: number | undefined;
}

/** Gives passes. One per source; lives as long as it does. */
export interface Authority {
  /** `target` is what it goes along with: a signature (AWS) is made for one request. */
  credential(
    clock: Clock,
    signal: AbortSignal,
    target: { readonly method: string; readonly url: string },
  ): Promise<Credential>;
  /** After a 401: forgets what was refused. False when nothing newer can be had. */
  renew(refused: Credential, clock: Clock, signal: AbortSignal): Promise<boolean>;
  /** Hears of every accepted answer, before its body is read: some servers hand out the next token in its head. */
  accepted?(answer: Pick<Answer, 'header' | 'headerAll'>, credential: Credential, clock: Clock): void;
}

/** An authority of headers that never change. */
export function fixedAuthority(headers: Readonly<Record<string, string>>): Authority {
  return { credential: async () => ({ headers, generation: undefined }), renew: async () => false };
}

/**
 * The authority of an `auth` section; `tls` holds for the token endpoint, too. Asks nobody before the first credential. Throws
 * `CONFIG_INVALID` without what it needs.
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
      return bearerAuthority(openClientCredentials(clientOf(auth, timeoutMs, tls)));
    case 'refresh-token': {
      const client = clientOf(auth, timeoutMs, tls);
      const { refreshToken } = auth;
      const exchange = (token: string, signal: AbortSignal) => presentRefreshToken(client, token, signal);
      const tokens = base.openTokens({ refreshToken, exchange, timeoutMs });
      return bearerAuthority(() => tokens);
    }
  }
}

/** Bearer tokens (RFC 6750) that can be renewed. */
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

/** RFC 7617, UTF-8. */
export function basicAuthorization(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`, 'utf8').toString('base64')}`;
}

function clientOf(
  auth: Extract<HttpAuth, { kind: 'client-credentials' | 'refresh-token' }>,
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
    ...(clientSecret === undefined ? {} : { clientSecret }),
    form: { ...(scope === undefined ? {} : { scope }), ...parameters },
  };
}
