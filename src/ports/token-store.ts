export type TokenState = 'ready' | 'refreshing' | 'reauth-required' | 'revoked';

/** The token pair of one connection. Secrets are sealed (AES-256-GCM) before they are stored here. */
export interface TokenRecord {
  readonly connection: string;
  readonly generation: number;
  readonly state: TokenState;
  readonly accessSealed: string | undefined;
  readonly refreshSealed: string | undefined;
  readonly issuedAt: number | undefined;
  readonly expiresAt: number | undefined;
  /** Hash of the configured first token that started this pair. */
  readonly seedHash: string | undefined;
  /** Hashes of all first tokens ever used. Each is used once per store. */
  readonly usedSeeds: readonly string[];
  /** `refreshing(generation)`: set before the call, cleared with the new pair. */
  readonly refreshStartedAt: number | undefined;
  /** Number of attempts with the same refresh token after an unknown outcome. At most 2. */
  readonly attempts: number;
  readonly reason: string | undefined;
}

/** Returns the name under which the tokens of a sync's source are stored, beside those of the connections. */
export const sourceTokenName = (sync: string): string => `source ${sync}`;

export interface TokenStore {
  get(connection: string): Promise<TokenRecord | undefined>;
  /**
   * Writes `next` if the stored generation and state equal those of `seen` (undefined: no row yet). Otherwise returns
   * false.
   */
  replace(seen: TokenRecord | undefined, next: TokenRecord): Promise<boolean>;
}
