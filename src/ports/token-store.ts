export type TokenState = 'ready' | 'refreshing' | 'reauth-required' | 'revoked';

/** One connection's token pair. Secrets are sealed (AES-256-GCM) before they come here. */
export interface TokenRecord {
  readonly connection: string;
  readonly generation: number;
  readonly state: TokenState;
  readonly accessSealed: string | undefined;
  readonly refreshSealed: string | undefined;
  readonly issuedAt: number | undefined;
  readonly expiresAt: number | undefined;
  /** Hash of the configured first token that began this pair. */
  readonly seedHash: string | undefined;
  /** Hashes of every first token ever used: each is used once per store. */
  readonly usedSeeds: readonly string[];
  /** `refreshing(generation)`: set before the call, cleared with the new pair. */
  readonly refreshStartedAt: number | undefined;
  /** After an unknown outcome: how often the same refresh token was presented. At most 2. */
  readonly attempts: number;
  readonly reason: string | undefined;
}

/** Under which name the tokens of a sync's source are kept, beside those of the connections. */
export const sourceTokenName = (sync: string): string => `source ${sync}`;

export interface TokenStore {
  get(connection: string): Promise<TokenRecord | undefined>;
  /** Writes `next` if the stored generation and state are still those of `seen` (undefined: no row yet). False if not. */
  replace(seen: TokenRecord | undefined, next: TokenRecord): Promise<boolean>;
}
