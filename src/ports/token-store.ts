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

export interface TokenStore {
  get(connection: string): Promise<TokenRecord | undefined>;
  /**
   * Writes `next` if the stored generation and state equal those of `seen` (undefined: no row yet). Otherwise returns
   * false. `room` is text that is stored beside the row in the same commit, and removed by the next one: it proves that
   * an answer of that size can be stored.
   */
  replace(seen: TokenRecord | undefined, next: TokenRecord, room?: string): Promise<boolean>;
}
