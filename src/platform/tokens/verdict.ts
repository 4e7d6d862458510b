import type { TokenEntry } from './vault.ts';

/**
 * What to do with the stored pair. Every write of the row is a compare-and-set that raises the generation, so that of
 * many processes exactly one makes each step; `present` is only ever done under the connection's lease.
 *
 *                        first token
 *   (no row) ─────────────────────────────────────────────┐
 *                                                         ▼
 *            75 % of life · 401 · `token refresh`     refreshing              invalid_grant
 *   ready ────────────────────────────────────────► (attempts 1) ─────────────────────────────┐
 *    ▲ ▲ ▲            granted: new pair               │ │    │                               │
 *    │ │ └────────────────────────────────────────────┘ │    │ answer lost, or crash         │
 *    │ │        certainly not sent: as it was           │    ▼                               │
 *    │ └────────────────────────────────────────────────┘  unknown outcome: access token     │
 *    │                                                     is used as long as it is valid    │
 *    │                                                       │ then, a lease time later      │
 *    │                granted: new pair                      ▼                               ▼
 *    └─────────────────────────────────────────────── refreshing ──────────────────► reauth-required
 *                                                    (attempts 2)  invalid_grant, or         │
 *                                                                  lost again                │
 *   ready, refreshing ── `token revoke` ──► revoked ── `token refresh` ──► refreshing        │
 *   any state ── a new first token is configured ──► refreshing (attempts 1) ◄───────────────┘
 */
export type Verdict =
  | { readonly kind: 'use' }
  /** Present the pair's refresh token, or the configured first one. `isOptional`: the access token still works. */
  | { readonly kind: 'present'; readonly what: 'refresh' | 'seed'; readonly isOptional: boolean }
  /** Another process may be presenting now. Check again, at the latest after `ms`. */
  | { readonly kind: 'wait'; readonly ms: number }
  /** Both presentations had no answer: an operator must act. */
  | { readonly kind: 'give-up' }
  | { readonly kind: 'fail'; readonly why: 'no-token' | 'seed-not-allowed' | 'reauth' | 'revoked' | 'sealed' };

export interface Circumstances {
  readonly now: number;
  /** The configured first token: none, one that this store has used, or a new one. */
  readonly seed: 'none' | 'used' | 'new';
  readonly mayPresentSeed: boolean;
  /** The access token was refused, or is no longer wanted. */
  readonly isAccessUnwanted: boolean;
  /** An operator requested the refresh: leaves `revoked`. */
  readonly isForced: boolean;
  /** Share of the access token's lifetime after which it is renewed early. */
  readonly dueShare: number;
  readonly leaseMs: number;
}

/** Maximum number of presentations: one, and one more after an unknown outcome (design, I6). */
export const maxAttempts = 2;

const maxMarginMs = 5000;
const marginShare = 0.05;

/** Decides from the stored pair and the time alone. */
export function judge(entry: TokenEntry | undefined, at: Circumstances): Verdict {
  const isUsable = isAccessUsable(entry, at);
  if (at.seed === 'new') {
    if (at.mayPresentSeed) return { kind: 'present', what: 'seed', isOptional: isUsable };
    return isUsable ? { kind: 'use' } : { kind: 'fail', why: 'seed-not-allowed' };
  }
  if (entry === undefined) return { kind: 'fail', why: 'no-token' };
  if (!entry.isReadable) return { kind: 'fail', why: 'sealed' };
  if (entry.refresh === undefined) return { kind: 'fail', why: 'no-token' };
  if (entry.state === 'reauth-required') return { kind: 'fail', why: 'reauth' };
  if (entry.state === 'revoked' && !at.isForced) return { kind: 'fail', why: 'revoked' };
  if (isUsable && (entry.state === 'refreshing' || at.now < dueAt(entry, at.dueShare))) return { kind: 'use' };
  // Without an access token the pair is a first token, stored but never exchanged.
  if (entry.access === undefined && !at.mayPresentSeed) return { kind: 'fail', why: 'seed-not-allowed' };
  if (entry.state === 'refreshing') {
    const restMs = restOfRefresh(entry, at);
    if (restMs > 0) return { kind: 'wait', ms: restMs };
  }
  if (entry.attempts >= maxAttempts) return { kind: 'give-up' };
  return { kind: 'present', what: 'refresh', isOptional: isUsable };
}

function isAccessUsable(entry: TokenEntry | undefined, at: Circumstances): boolean {
  if (entry?.access === undefined || at.isAccessUnwanted) return false;
  if (entry.state === 'revoked' || entry.state === 'reauth-required') return false;
  return at.now < usableUntil(entry);
}

/** Returns when the access token should no longer be sent: shortly before its end, to allow for the network. */
export function usableUntil(entry: Pick<TokenEntry, 'issuedAt' | 'expiresAt'>): number {
  if (entry.expiresAt === undefined) return Number.POSITIVE_INFINITY;
  const lifeMs = entry.expiresAt - (entry.issuedAt ?? entry.expiresAt);
  return entry.expiresAt - Math.min(maxMarginMs, lifeMs * marginShare);
}

/** Returns when the access token is renewed early. */
export function dueAt(entry: Pick<TokenEntry, 'issuedAt' | 'expiresAt'>, dueShare: number): number {
  if (entry.expiresAt === undefined || entry.issuedAt === undefined) return Number.POSITIVE_INFINITY;
  return entry.issuedAt + (entry.expiresAt - entry.issuedAt) * dueShare;
}

/** Returns how long a stored refresh may still be in progress. A clock that was set back does not extend it. */
function restOfRefresh(entry: TokenEntry, at: Circumstances): number {
  if (entry.refreshStartedAt === undefined) return 0;
  return Math.max(0, at.leaseMs - Math.abs(at.now - entry.refreshStartedAt));
}
