/** Where a connection's access token comes from. Implemented by `platform/tokens` (token manager) over the token store. */
export interface AccessTokens {
  /** A token to use now, refreshed ahead of its end where possible. Throws REAUTH_REQUIRED, TOKEN_REVOKED, TOKEN_UNAVAILABLE. */
  current(signal: AbortSignal): Promise<AccessToken>;
  /** Called after a 401 with the generation that was refused: gives a newer one, or throws when there is none to be had. */
  renew(refusedGeneration: number, signal: AbortSignal): Promise<AccessToken>;
  /** Called after a call that was accepted with this generation: closes the breaker. */
  accepted(generation: number): void;
}

export interface AccessToken {
  /** Never log, store unsealed, or put in an error. */
  readonly secret: string;
  readonly generation: number;
}

/**
 * Presents a refresh token to who issued it, once, without any repetition of its own (RFC 6749, 6; contract, "POST
 * /os-api/public-api/v1/token"). It never throws for what the issuer or the network did, obeys `signal` at once, and
 * sorts what happened by the only question that matters: may the issuer have taken the token?
 */
export type TokenExchange = (refreshToken: string, signal: AbortSignal) => Promise<ExchangeOutcome>;

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
  /** The issuer certainly did not take it: no connection, application token refused, too many requests. */
  | ({ readonly kind: 'not-sent'; readonly reason: string } & RetryAfter)
  /** It may have been taken and the answer is lost: timeout, reset, 5xx, unreadable answer. */
  | ({ readonly kind: 'unknown'; readonly reason: string } & RetryAfter);

export interface RetryAfter {
  /** How long the issuer asked to be left alone (`Retry-After`), within `maxRetryAfterMs`. */
  readonly afterMs?: number;
}
