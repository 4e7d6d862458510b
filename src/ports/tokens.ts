/** Provides a connection's access token. Implemented by `platform/tokens` (token manager) over the token store. */
export interface AccessTokens {
  /**
   * Returns a token for use now, refreshed before it expires where possible. Throws REAUTH_REQUIRED, TOKEN_REVOKED,
   * TOKEN_RESTORED, TOKEN_UNAVAILABLE.
   */
  current(signal: AbortSignal): Promise<AccessToken>;
  /** Called after a 401 with the refused generation. Returns a newer token, or throws when none is available. */
  renew(refusedGeneration: number, signal: AbortSignal): Promise<AccessToken>;
  /**
   * Called after a 401, before `renew`. Waits and returns true while the refused token is so young that not every server
   * of the platform may know it. The caller then uses `current` again. Absent: tokens are never young.
   */
  outwait?(refusedGeneration: number, signal: AbortSignal): Promise<boolean>;
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

/** A token endpoint refused the refresh token itself: presenting it again cannot help for long. */
export interface DeadToken {
  /** The error code, for a message: letters and underscores only. */
  readonly code: string;
  /** The answer says that the token was used before. Presenting it again may revoke the whole family (RFC 9700, 4.14). */
  readonly isReuse: boolean;
}

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
  /** The issuer says that the token is dead: `invalid_grant` or another spelling of it, with any status. */
  | ({ readonly kind: 'invalid-grant' } & DeadToken)
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

/** Seals texts for the store. A text sealed for one place (`context`) cannot be opened as another. */
export interface Seal {
  /** Distinguishes keys and reveals nothing about them: 8 hexadecimal digits. Every sealed text begins with `v1.<keyId>.`. */
  readonly keyId: string;
  seal(secret: string, context: string): string;
  /** Returns the text, or undefined when it was sealed with another key or context, or was changed since. */
  open(sealed: string, context: string): string | undefined;
}

export type TokenState = 'ready' | 'refreshing' | 'reauth-required' | 'revoked';

/** The token pair of one connection. Secrets are sealed (AES-256-GCM) before they are stored here. */
export interface TokenRecord {
  readonly connection: string;
  /** Increases with every write of the row, so that any two states of the row differ. */
  readonly generation: number;
  readonly state: TokenState;
  readonly accessSealed: string | undefined;
  readonly refreshSealed: string | undefined;
  readonly issuedAt: number | undefined;
  readonly expiresAt: number | undefined;
  /** Hash of the configured first token that started this pair. */
  readonly seedHash: string | undefined;
  /** Hashes of the first tokens that ended: a pair was stored from them, or after them, or the platform refused them. */
  readonly usedSeeds: readonly string[];
  /** Hashes of the first tokens that were presented since the last stored pair, and not answered as they should. */
  readonly triedSeeds: readonly string[];
  /** `refreshing(generation)`: set before the call, cleared with the new pair. */
  readonly refreshStartedAt: number | undefined;
  /** Number of presentations in a row that were answered neither with a usable pair nor with a refusal. */
  readonly attempts: number;
  /**
   * Earliest time of the next presentation, after one with an invalid answer. Undefined while one is in progress, or its
   * process has died.
   */
  readonly retryAt: number | undefined;
  readonly reason: string | undefined;
  /** Set while the row comes from a backup and no operator has confirmed it. Nothing is presented then. */
  readonly restored: RestoredTokens | undefined;
}

/** A row that was restored from a backup. The platform may have granted newer pairs since. */
export interface RestoredTokens {
  readonly at: number;
  /** Hash of the first token that was configured at the restore and that the backup does not know. */
  readonly seedHash: string | undefined;
}

/** Returns the name under which the tokens of a sync's source are stored, beside those of the connections. */
export const sourceTokenName = (sync: string): string => `source ${sync}`;

/** Returns the place for which a secret of a pair is sealed. */
export function tokenPlace(connection: string, generation: number, which: 'access' | 'refresh'): string {
  return JSON.stringify([connection, generation, which]);
}

export interface TokenStore {
  get(connection: string): Promise<TokenRecord | undefined>;
  /**
   * Writes `next` if the stored generation and state equal those of `seen` (undefined: no row yet). Otherwise returns
   * false. `room` is text that is stored beside the row in the same commit, and removed by the next one: it proves that
   * an answer of that size can be stored.
   */
  replace(seen: TokenRecord | undefined, next: TokenRecord, room?: string): Promise<boolean>;
}

export interface TokenBook extends TokenStore {
  /** Returns every row by name, for a display: no pair is presented because of it. */
  all(): Promise<ReadonlyMap<string, TokenRecord>>;
}
