import { given } from '../../core/run/given.ts';
import { isRecord } from '../../drivers/http/json-text.ts';
import type { TokenStatus } from '../../ports/tokens.ts';
import { holderOf, howToClear, howToConfirm } from './token-errors.ts';
import type { TokenEntry } from './vault.ts';
import type { Circumstances } from './verdict.ts';

interface Described {
  readonly connection: string;
  readonly entry: TokenEntry | undefined;
  readonly seed: Circumstances['seed'];
}

export function describeTokens(described: Described): TokenStatus {
  const { connection, entry } = described;
  return {
    connection,
    state: stateOf(entry),
    generation: entry?.generation ?? 0,
    issuedAt: entry?.issuedAt,
    expiresAt: entry?.expiresAt,
    attempts: entry?.attempts ?? 0,
    retryAt: entry?.retryAt,
    reason: entry?.reason,
    advice: advise(described),
  };
}

function stateOf(entry: TokenEntry | undefined): TokenStatus['state'] {
  if (entry?.restored !== undefined) return 'restored';
  if (entry === undefined || isWithoutToken(entry)) return 'none';
  return entry.isReadable || entry.state === 'reauth-required' ? entry.state : 'sealed';
}

/** The row holds no token: none was ever exchanged, or the first one could not even be sent. */
function isWithoutToken({ usedSeeds, triedSeeds, refresh, isReadable }: TokenEntry): boolean {
  return usedSeeds.length + triedSeeds.length === 0 || (isReadable && refresh === undefined);
}

function advise({ connection, entry, seed }: Described): string {
  const holder = holderOf(connection);
  const { key, present, exchange } = holder;
  if (seed === 'new') return `The refresh token in the configuration is new. ${exchange}`;
  if (entry?.restored !== undefined) return howToConfirm(holder);
  if (entry === undefined || (isWithoutToken(entry) && seed === 'none')) {
    return `Put a refresh token in the configuration (${key}).`;
  }
  if (!entry.isReadable) {
    return (
      'The stored pair was sealed with another encryptionKey: restore that key, or put a new first refresh token in the ' +
      `configuration (${key}).`
    );
  }
  if (entry.attempts > 0 && entry.retryAt !== undefined && entry.state !== 'reauth-required') {
    return (
      'The token endpoint does not answer correctly. The refresh token is kept, and presented again automatically ' +
      `at growing intervals. To retry immediately: ${present}.`
    );
  }
  switch (entry.state) {
    case 'ready':
      return entry.issuedAt === undefined ? `Not exchanged yet. ${exchange}` : 'Nothing to do.';
    case 'refreshing':
      return 'A refresh is in progress, or its answer was lost. The next command that needs a token resolves it.';
    case 'reauth-required':
      return howToClear(holder, entry);
    case 'revoked':
      return `It is not refreshed automatically. Run ${present}, or configure a new refresh token.`;
  }
}

/** Describes a configured access token. If it is a JWT (RFC 7519), its times are shown. */
export function describeStaticToken(connection: string, accessToken: string): TokenStatus {
  const { iat, exp } = claimsOf(accessToken);
  const renewal =
    exp === undefined
      ? ''
      : ` Put a new one in the configuration (connections.${connection}.accessToken) before it expires.`;
  return {
    connection,
    state: 'static',
    generation: 0,
    issuedAt: iat,
    expiresAt: exp,
    attempts: 0,
    retryAt: undefined,
    reason: undefined,
    advice: `The configuration has a fixed access token, which is never refreshed.${renewal}`,
  };
}

/** Reads `iat` and `exp` of a JWT, as epoch ms. Its signature is not checked, because only the platform trusts it. */
export function claimsOf(token: string): { readonly iat?: number; readonly exp?: number } {
  const parts = token.split('.');
  if (parts.length !== 3) return {};
  try {
    const claims: unknown = JSON.parse(Buffer.from(parts[1] ?? '', 'base64url').toString('utf8'));
    return isRecord(claims) ? given({ iat: epochMs(claims.iat), exp: epochMs(claims.exp) }) : {};
  } catch {
    return {};
  }
}

/** The largest instant of a `Date`. */
const lastInstantMs = 8.64e15;

function epochMs(seconds: unknown): number | undefined {
  const ms = typeof seconds === 'number' ? Math.round(seconds * 1000) : Number.NaN;
  return ms > 0 && ms <= lastInstantMs ? ms : undefined;
}
