/**
 * Presents a refresh token to the platform, once, without any repetition of its own (contract, "POST
 * /os-api/public-api/v1/token"). It never throws for what the platform or the network did, obeys `signal` at once, and
 * sorts what happened by the only question that matters: may the platform have taken the token?
 */
export type Exchange = (refreshToken: string, signal: AbortSignal) => Promise<ExchangeOutcome>;

export type ExchangeOutcome =
  /** A new pair; the presented token is used up. `expiresInMs` is the life of the access token. */
  | {
      readonly kind: 'granted';
      readonly accessToken: string;
      readonly refreshToken: string;
      readonly expiresInMs: number;
    }
  /** 400 `invalid_grant`: expired, revoked, unknown or already used. */
  | { readonly kind: 'invalid-grant'; readonly description: string }
  /** The platform certainly did not take it: no connection, application token refused, too many requests. */
  | { readonly kind: 'not-sent'; readonly reason: string }
  /** It may have been taken and the answer is lost: timeout, reset, 5xx, unreadable answer. */
  | { readonly kind: 'unknown'; readonly reason: string };

/** Has the platform invalidate an access token (contract, "POST .../token/revoke"), once. Never throws for its answer. */
export type RevokeCall = (accessToken: string, signal: AbortSignal) => Promise<RevokeOutcome>;

export type RevokeOutcome =
  | { readonly kind: 'revoked' }
  /** Certainly not revoked by this call. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** It may be revoked; calling again does no harm. */
  | { readonly kind: 'unknown'; readonly reason: string };
