import { randomBytes } from 'node:crypto';
import type { SandboxQuirks } from './quirks.ts';

export interface TokenPairSecrets {
  readonly accessToken: string;
  readonly refreshToken: string;
}

/** One presentation of a refresh token: `token` counts refresh tokens in order of issue, from 1; 0 is an unknown one. */
export interface RefreshPresentation {
  readonly at: number;
  readonly token: number;
  /** How often this token was presented, including this time. */
  readonly times: number;
  readonly outcome: 'granted' | 'used' | 'revoked' | 'expired' | 'unknown';
}

export type Grant =
  | { readonly kind: 'granted'; readonly pair: TokenPairSecrets }
  | { readonly kind: 'refused'; readonly reason: Exclude<RefreshPresentation['outcome'], 'granted'> };

interface AccessRecord {
  readonly family: number;
  readonly expiresAt: number;
  isRevoked: boolean;
  calls: number;
}

interface RefreshRecord {
  readonly family: number;
  readonly number: number;
  readonly expiresAt: number;
  isUsed: boolean;
  times: number;
}

export interface TokenIssuerOptions {
  readonly now: () => number;
  readonly quirks: SandboxQuirks;
  readonly accessTokenLifeMs: number;
  /** Number of calls after which an access token expires; undefined for no limit. */
  readonly callsPerToken: () => number | undefined;
}

/**
 * Issues, rotates and revokes tokens (contract, "Authentication"; rotation and reuse detection as in RFC 9700 section
 * 4.14.2). Tokens that were refreshed from one another form a family.
 */
export class TokenIssuer {
  readonly #options: TokenIssuerOptions;
  readonly #access = new Map<string, AccessRecord>();
  readonly #refresh = new Map<string, RefreshRecord>();
  readonly #revokedFamilies = new Set<number>();
  readonly #presentations: RefreshPresentation[] = [];
  #families = 0;

  constructor(options: TokenIssuerOptions) {
    this.#options = options;
  }

  get presentations(): readonly RefreshPresentation[] {
    return this.#presentations;
  }

  /** Returns a pair of a new family, as after a new authorization. */
  authorize(known: Partial<TokenPairSecrets> = {}): TokenPairSecrets {
    this.#families += 1;
    return this.#issue(this.#families, known);
  }

  /** Exchanges a refresh token. The old one is consumed. */
  rotate(refreshToken: string): Grant {
    const record = this.#refresh.get(refreshToken);
    const outcome = this.#judge(record);
    if (record !== undefined) record.times += 1;
    this.#presentations.push({
      at: this.#options.now(),
      token: record?.number ?? 0,
      times: record?.times ?? 1,
      outcome,
    });
    if (record === undefined || outcome !== 'granted') {
      if (record !== undefined && outcome === 'used' && this.#options.quirks.strictReuse) {
        this.#revokedFamilies.add(record.family);
      }
      return { kind: 'refused', reason: outcome === 'granted' ? 'unknown' : outcome };
    }
    record.isUsed = true;
    return { kind: 'granted', pair: this.#issue(record.family, {}) };
  }

  /** Returns the state of an access token. Each call counts as one use of the token. */
  useAccess(accessToken: string): 'live' | 'expired' | 'revoked' | 'unknown' {
    const record = this.#access.get(accessToken);
    if (record === undefined) return 'unknown';
    record.calls += 1;
    const callsPerToken = this.#options.callsPerToken() ?? Number.POSITIVE_INFINITY;
    if (record.isRevoked || this.#revokedFamilies.has(record.family)) return 'revoked';
    if (this.#options.now() >= record.expiresAt || record.calls > callsPerToken) return 'expired';
    return 'live';
  }

  /** Revokes an access token. Ignores an unknown or invalid one. */
  revokeAccess(accessToken: string): void {
    const record = this.#access.get(accessToken);
    if (record !== undefined) record.isRevoked = true;
  }

  #judge(record: RefreshRecord | undefined): RefreshPresentation['outcome'] {
    if (record === undefined) return 'unknown';
    if (record.isUsed) return 'used';
    if (this.#revokedFamilies.has(record.family)) return 'revoked';
    return this.#options.now() >= record.expiresAt ? 'expired' : 'granted';
  }

  #issue(family: number, known: Partial<TokenPairSecrets>): TokenPairSecrets {
    const { now, quirks, accessTokenLifeMs } = this.#options;
    const number = this.#refresh.size + 1;
    const accessToken = known.accessToken ?? `sandbox-access-${number}-${randomBytes(12).toString('hex')}`;
    const refreshToken = known.refreshToken ?? `sandbox-refresh-${number}-${randomBytes(12).toString('hex')}`;
    this.#access.set(accessToken, { family, expiresAt: now() + accessTokenLifeMs, isRevoked: false, calls: 0 });
    const expiresAt = now() + quirks.refreshTokenLifeMs;
    this.#refresh.set(refreshToken, { family, number, expiresAt, isUsed: false, times: 0 });
    return { accessToken, refreshToken };
  }
}
