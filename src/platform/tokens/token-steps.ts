import { headerTextProblem } from '../../drivers/http/header-text.ts';
import { assumedLifeMs } from '../../drivers/http/token-answer.ts';
import type { ExchangeOutcome } from '../../ports/tokens.ts';
import { waitAfter } from './retry-pace.ts';
import { draftOf, type TokenDraft, type TokenEntry } from './vault.ts';

/** The configured first token, and the fingerprint that the store keeps of it. */
export interface Seed {
  readonly token: string;
  readonly hash: string;
}

type Granted = Extract<ExchangeOutcome, { kind: 'granted' }>;

/**
 * Returns the row before the stored refresh token is presented. One that was refused stays refused meanwhile: if this
 * process dies, no other presents it.
 */
export function beginRefresh(seen: TokenEntry | undefined, startedAt: number, what: 'refresh' | 'again'): TokenDraft {
  const before = draftOf(seen);
  if (what === 'again') return { ...before, attempts: before.attempts + 1, retryAt: undefined };
  return {
    ...before,
    state: 'refreshing',
    refreshStartedAt: startedAt,
    attempts: before.attempts + 1,
    retryAt: undefined,
    reason: undefined,
    restored: undefined,
  };
}

/**
 * Returns the row before a configured first token is presented. It replaces the refresh token; a working access token
 * stays in use until the new pair is stored.
 */
export function beginSeed(seen: TokenEntry | undefined, seed: Seed, startedAt: number): TokenDraft {
  const before = draftOf(seen);
  const isTried = before.triedSeeds.includes(seed.hash);
  return {
    ...before,
    ...(before.state === 'revoked' ? { access: undefined, issuedAt: undefined, expiresAt: undefined } : {}),
    state: 'refreshing',
    refresh: seed.token,
    seedHash: seed.hash,
    triedSeeds: isTried ? before.triedSeeds : [...before.triedSeeds, seed.hash],
    refreshStartedAt: startedAt,
    attempts: isTried ? before.attempts + 1 : 1,
    retryAt: undefined,
    reason: undefined,
    // A restore counts the configured first token as ended. An operator has confirmed now that it is not.
    usedSeeds: before.usedSeeds.filter((hash) => hash !== before.restored?.seedHash || hash !== seed.hash),
    restored: undefined,
  };
}

/**
 * Returns the row with a granted pair, whatever the pair is like. Its lifetime counts from before the call, so it is
 * never overestimated. A pair that cannot be used is stored too: its refresh token is presented next, after a wait.
 */
export function grantPair(pending: TokenEntry, granted: Granted, startedAt: number, now: number): TokenDraft {
  const { expiresInMs, oddities = [] } = granted;
  const isKnown = expiresInMs !== undefined && Number.isFinite(expiresInMs) && expiresInMs > 0;
  const problem = pairProblem(granted);
  const lifeNote = isKnown ? [] : [`the lifetime is unknown, so ${assumedLifeMs / 60_000} minutes are assumed`];
  const notes = [...oddities, ...(problem === undefined ? lifeNote : [problem])];
  return {
    ...endSeeds(draftOf(pending)),
    state: problem === undefined ? 'ready' : 'refreshing',
    access: granted.accessToken,
    refresh: granted.refreshToken,
    issuedAt: startedAt,
    expiresAt: problem === undefined ? startedAt + (isKnown ? expiresInMs : assumedLifeMs) : startedAt,
    refreshStartedAt: problem === undefined ? undefined : startedAt,
    attempts: problem === undefined ? 0 : pending.attempts,
    retryAt: problem === undefined ? undefined : now + waitAfter(pending.attempts),
    reason: notes.length === 0 ? undefined : `the platform granted a pair. The pair is stored, but ${notes.join('; ')}`,
  };
}

function pairProblem({ accessToken }: Granted): string | undefined {
  if (accessToken === undefined) return 'it has no `access_token`';
  const problem = headerTextProblem(accessToken);
  return problem === undefined ? undefined : `\`access_token\` cannot be sent in a header: it contains ${problem}`;
}

/** After a stored pair, no first token that was presented before may be presented again. */
export function endSeeds(draft: TokenDraft): TokenDraft {
  return { ...draft, usedSeeds: [...new Set([...draft.usedSeeds, ...draft.triedSeeds])], triedSeeds: [] };
}

/**
 * Some issuers answer `invalid_grant` once and accept the same token a minute later. So a refused one is presented twice
 * more: after a minute, and ten minutes after that.
 */
const furtherTriesMs = [60_000, 600_000] as const;

/** When a token that was refused this many times is presented again. Undefined: never automatically. */
export function nextAfterRefusal(refusals: number, endedAt: number): number | undefined {
  const waitMs = furtherTriesMs[refusals - 1];
  return waitMs === undefined ? undefined : endedAt + waitMs;
}

/** Returns the row of a token that was refused so many times. `retryAt`: see `nextAfterRefusal`. */
export function requireReauth(
  seen: TokenEntry,
  refused: { readonly reason: string; readonly refusals: number; readonly retryAt: number | undefined },
): TokenDraft {
  const { reason, refusals, retryAt } = refused;
  const state = 'reauth-required';
  return { ...endSeeds(draftOf(seen)), state, attempts: refusals, refreshStartedAt: undefined, retryAt, reason };
}

/** Returns the row of a refused pair whose access token may not be used either. */
export function endAccess(seen: TokenEntry, now: number): TokenDraft {
  return { ...draftOf(seen), expiresAt: now };
}

/** Returns the row after the platform refused a configured first token, while the pair before it still works. */
export function keepPairBefore(before: TokenEntry, seed: Seed, reason: string): TokenDraft {
  const draft = draftOf(before);
  return { ...draft, usedSeeds: [...draft.usedSeeds, seed.hash], reason };
}

/** Returns the row after an answer that is neither a pair nor a refusal; the token may have been consumed. */
export function noteOddAnswer(pending: TokenEntry, reason: string, retryAt: number): TokenDraft {
  return { ...draftOf(pending), retryAt, reason };
}

/** Returns the row after a presentation that certainly consumed nothing: the pair is as before, with the count. */
export function noteUnsent(
  seen: TokenEntry | undefined,
  pending: TokenEntry,
  note: { reason: string; retryAt: number },
) {
  const before = draftOf(seen);
  const isEnded = before.state === 'reauth-required' || before.state === 'revoked';
  if (isEnded) return { ...before, triedSeeds: pending.triedSeeds } satisfies TokenDraft;
  const { attempts, triedSeeds, refreshStartedAt } = pending;
  return { ...before, attempts, triedSeeds, refreshStartedAt, ...note } satisfies TokenDraft;
}
