import { headerTextProblem } from '../../drivers/http/header-text.ts';
import { waitAfter } from './retry-pace.ts';
import type { TokenEntry } from './vault.ts';

/**
 * What to do with the stored pair. Every write of the row is a compare-and-set that raises the generation, so that of
 * many processes exactly one makes each step; `present` is only ever done under the connection's lease.
 *
 *                        first token
 *   (no row) ─────────────────────────────────────────────┐
 *                                                         ▼
 *            75 % of life · 401 · `token refresh`     refreshing ──────────────────► reauth-required ─┐ twice more,
 *   ready ───────────────────────────────────────► (in progress)   invalid_grant       │ ▲───────────┘ after 1 and 10 min
 *    ▲ ▲               granted: new pair             │ │    ▲                          │ `token refresh`,
 *    │ └─────────────────────────────────────────────┘ │    │ the same token again:    │ a new first token
 *    │            certainly not sent: as it was        │    │ 5 s, 10 s … 1 h later    ▼
 *    └─────────────────────────────────────────────────┤    │                     refreshing
 *                                                      ▼    │
 *                        any other answer, or none: refreshing (retryAt); the access token is used while it is valid
 *
 *   In every state but `revoked`, the access token is used while it is valid. A 401 after a refusal ends it.
 *
 *   ready, refreshing ── `token revoke` ──► revoked ── `token refresh` ──► refreshing
 *   any state ── a new first token is configured ──► refreshing
 *   reauth-required ── one of the further tries is granted ──► ready
 *
 * A row that was restored from a backup presents nothing before an operator confirms it (`token refresh`), or a first token
 * is configured that was not there at the restore.
 */
export type Verdict =
  | { readonly kind: 'use' }
  /**
   * Present the pair's refresh token, the same one `again` after a refusal, or the configured first one. `isOptional`: the
   * access token still works.
   */
  | { readonly kind: 'present'; readonly what: 'refresh' | 'again' | 'seed'; readonly isOptional: boolean }
  /** Another process may be presenting now. Check again, at the latest after `ms`. */
  | { readonly kind: 'wait'; readonly ms: number }
  /** The token endpoint does not answer correctly. The token is presented again after `ms`. */
  | { readonly kind: 'later'; readonly ms: number }
  | {
      readonly kind: 'fail';
      readonly why: 'no-token' | 'seed-not-allowed' | 'reauth' | 'revoked' | 'restored' | 'sealed';
    };

export interface Circumstances {
  readonly now: number;
  /**
   * The configured first token: none, one that has ended in this store (`used`), a `new` one, one that the row holds
   * and that was not answered yet (`pending`), the same behind another token (`tried`), or one that was configured when
   * the store was restored from a backup that does not know it (`restored`).
   */
  readonly seed: 'none' | 'used' | 'new' | 'pending' | 'tried' | 'restored';
  readonly mayPresentSeed: boolean;
  /** The access token was refused, or is no longer wanted. */
  readonly isAccessUnwanted: boolean;
  /** An operator requested the refresh, or confirmed a restored row: tries at once, whatever the state and the wait. */
  readonly isForced: boolean;
  /** Share of the access token's lifetime after which it is renewed early. */
  readonly dueShare: number;
  readonly leaseMs: number;
}

const maxMarginMs = 5000;
const marginShare = 0.05;

/** Decides from the stored pair and the time alone. */
export function judge(entry: TokenEntry | undefined, at: Circumstances): Verdict {
  const isUsable = isAccessUsable(entry, at);
  if (at.seed === 'new' || at.seed === 'tried') return judgeSeed(entry, at, isUsable);
  if (entry?.restored !== undefined) {
    if (!at.isForced) return { kind: 'fail', why: 'restored' };
    if (at.seed === 'restored') return judgeSeed(entry, at, isUsable);
  }
  if (entry === undefined) return { kind: 'fail', why: 'no-token' };
  if (!entry.isReadable) return { kind: 'fail', why: 'sealed' };
  if (entry.refresh === undefined) return { kind: 'fail', why: 'no-token' };
  if (entry.state === 'reauth-required' && !at.isForced) {
    if (entry.retryAt !== undefined && at.now >= entry.retryAt)
      return { kind: 'present', what: 'again', isOptional: isUsable };
    return isUsable ? { kind: 'use' } : { kind: 'fail', why: 'reauth' };
  }
  if (entry.state === 'revoked' && !at.isForced) return { kind: 'fail', why: 'revoked' };
  if (isUsable && (entry.state === 'refreshing' || at.now < dueAt(entry, at.dueShare))) return { kind: 'use' };
  // A pair that was never issued is a first token, stored but not exchanged.
  const isSeed = at.seed === 'pending' || entry.issuedAt === undefined;
  if (isSeed && !at.mayPresentSeed) return { kind: 'fail', why: 'seed-not-allowed' };
  return pause(entry, at, isUsable) ?? { kind: 'present', what: 'refresh', isOptional: isUsable };
}

function judgeSeed(entry: TokenEntry | undefined, at: Circumstances, isUsable: boolean): Verdict {
  if (!at.mayPresentSeed) return isUsable ? { kind: 'use' } : { kind: 'fail', why: 'seed-not-allowed' };
  const held = at.seed === 'tried' && entry !== undefined ? pause(entry, at, isUsable) : undefined;
  return held ?? { kind: 'present', what: 'seed', isOptional: isUsable };
}

/** Returns what to do while nothing may be presented. Undefined: the time has come. */
function pause(entry: TokenEntry, at: Circumstances, isUsable: boolean): Verdict | undefined {
  if (entry.state === 'refreshing' && entry.retryAt === undefined) {
    const sinceMs = entry.refreshStartedAt === undefined ? at.leaseMs : Math.abs(at.now - entry.refreshStartedAt);
    const inFlightMs = at.leaseMs - sinceMs;
    if (inFlightMs > 0) return isUsable ? { kind: 'use' } : { kind: 'wait', ms: inFlightMs };
  }
  if (at.isForced) return undefined;
  const restMs = restOfWait(entry, at.now);
  if (restMs <= 0) return undefined;
  return isUsable ? { kind: 'use' } : { kind: 'later', ms: restMs };
}

/** Returns the rest of the wait between two presentations. A clock that was set back ends it. */
function restOfWait({ attempts, retryAt, refreshStartedAt, state }: TokenEntry, now: number): number {
  if (attempts === 0 || refreshStartedAt === undefined) return 0;
  if (retryAt !== undefined) return retryAt - refreshStartedAt - Math.abs(now - refreshStartedAt);
  // A process died in the middle: its presentations count as odd ones.
  return state === 'refreshing' ? waitAfter(attempts) - Math.abs(now - refreshStartedAt) : 0;
}

function isAccessUsable(entry: TokenEntry | undefined, at: Circumstances): boolean {
  if (entry?.access === undefined || at.isAccessUnwanted) return false;
  if (entry.state === 'revoked') return false;
  return at.now < usableUntil(entry) && headerTextProblem(entry.access) === undefined;
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
