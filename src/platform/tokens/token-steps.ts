import type { ExchangeOutcome } from '../../ports/tokens.ts';
import { draftOf, type TokenDraft, type TokenEntry } from './vault.ts';

/** The configured first token, and the fingerprint that the store keeps of it. */
export interface Seed {
  readonly token: string;
  readonly hash: string;
}

/** Returns the row before the stored refresh token is presented. */
export function beginRefresh(seen: TokenEntry | undefined, startedAt: number): TokenDraft {
  const before = draftOf(seen);
  return {
    ...before,
    state: 'refreshing',
    refreshStartedAt: startedAt,
    attempts: before.attempts + 1,
    reason: undefined,
  };
}

/** Returns the row before a configured first token is presented. It replaces the old pair completely. */
export function beginSeed(seen: TokenEntry | undefined, seed: Seed, startedAt: number): TokenDraft {
  return {
    state: 'refreshing',
    access: undefined,
    refresh: seed.token,
    issuedAt: undefined,
    expiresAt: undefined,
    seedHash: seed.hash,
    usedSeeds: [...(seen?.usedSeeds ?? []), seed.hash],
    refreshStartedAt: startedAt,
    attempts: 1,
    reason: undefined,
  };
}

/** Returns the row with a granted pair. Its lifetime counts from before the call, so it is never overestimated. */
export function grantPair(
  pending: TokenEntry,
  granted: Extract<ExchangeOutcome, { kind: 'granted' }>,
  startedAt: number,
): TokenDraft {
  const hasLife = Number.isFinite(granted.expiresInMs) && granted.expiresInMs > 0;
  return {
    ...draftOf(pending),
    state: 'ready',
    access: granted.accessToken,
    refresh: granted.refreshToken,
    issuedAt: startedAt,
    expiresAt: hasLife ? startedAt + granted.expiresInMs : undefined,
    refreshStartedAt: undefined,
    attempts: 0,
    reason: undefined,
  };
}

/** Returns the row that ends all presentations until an operator configures a new first token. */
export function requireReauth(seen: TokenEntry | undefined, reason: string): TokenDraft {
  return { ...draftOf(seen), state: 'reauth-required', refreshStartedAt: undefined, reason };
}

/** Returns the row after a lost answer: still `refreshing`, with its time and count. */
export function noteLostAnswer(pending: TokenEntry, reason: string): TokenDraft {
  return { ...draftOf(pending), reason };
}
