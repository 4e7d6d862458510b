import type { TokenState } from './token-store.ts';

/** Provides a connection's access token. Implemented by `platform/tokens` (token manager) over the token store. */
export interface AccessTokens {
  /**
   * Returns a token for use now, refreshed before it expires where possible. Throws REAUTH_REQUIRED, TOKEN_REVOKED,
   * TOKEN_RESTORED, TOKEN_UNAVAILABLE.
   */
  current(signal: AbortSignal): Promise<AccessToken>;
  /** Called after a 401 with the refused generation. Returns a newer token, or throws when none is available. */
  renew(refusedGeneration: number, signal: AbortSignal): Promise<AccessToken>;
  /** Called after an accepted call with this generation. Closes the breaker. */
  accepted(generation: number): void;
}

export interface AccessToken {
  /** Never log the secret, store it unsealed, or put it in an error. */
  readonly secret: string;
  readonly generation: number;
}

/**
 * Presents a refresh token to its issuer, once, without its own retries (RFC 6749, 6; contract, "POST
 * /os-api/public-api/v1/token"). Never throws for failures of the issuer or the network, and obeys `signal` at once.
 * Classifies each result by one question: may the issuer have used the token?
 */
export type TokenExchange = (refreshToken: string, signal: AbortSignal) => Promise<ExchangeOutcome>;

export type ExchangeOutcome =
  /** A new pair; the presented token is used up. */
  | {
      readonly kind: 'granted';
      /** Undefined: the answer has a refresh token only. */
      readonly accessToken: string | undefined;
      readonly refreshToken: string;
      /** Lifetime of the access token. Undefined: unknown. */
      readonly expiresInMs: number | undefined;
      /** What is unusual about the answer, as clauses that quote nothing of it. */
      readonly oddities?: readonly string[];
    }
  /** 400 `invalid_grant`: expired, revoked, unknown or already used. */
  | { readonly kind: 'invalid-grant'; readonly description: string }
  /** The issuer certainly did not use the token: no connection, application token refused, too many requests. */
  | ({ readonly kind: 'not-sent'; readonly reason: string } & OddAnswer)
  /** The issuer may have used the token, and the answer is lost: timeout, reset, 5xx, unreadable answer. */
  | ({ readonly kind: 'unknown'; readonly reason: string } & OddAnswer);

export interface OddAnswer {
  /** The wait that the issuer requested (`Retry-After`), limited to `maxRetryAfterMs`. */
  readonly afterMs?: number;
  /** True when an answer came, so the issuer is done with the call. Otherwise it may still be at work. */
  readonly isAnswered?: boolean;
}

/** Output of `rollcall token status`. Holds no secret. Instants are epoch ms. */
export interface TokenStatus {
  readonly connection: string;
  /**
   * `sealed`: there is a pair, and the configured encryptionKey does not open it. `restored`: the pair comes from a backup,
   * and no operator has confirmed it.
   */
  readonly state: TokenState | 'static' | 'none' | 'sealed' | 'restored';
  readonly generation: number;
  readonly issuedAt: number | undefined;
  readonly expiresAt: number | undefined;
  /** Presentations of the refresh token in a row that were not answered as they should be. */
  readonly attempts: number;
  /** Earliest time of the next presentation, after such an answer. */
  readonly retryAt: number | undefined;
  /** What the last answer was like. Quotes nothing of it. */
  readonly reason: string | undefined;
  /** The meaning of the state and the next action, as a sentence. */
  readonly advice: string;
}
