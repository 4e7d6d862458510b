import type { ExchangeOutcome, OddAnswer, TokenExchange } from '../../../src/ports/tokens.ts';

/** What becomes of one call: whether the server takes it, and whether its answer arrives. */
export type CallEnd = 'answered' | 'refused' | 'answer-lost' | 'not-sent' | 'lost-before';

export interface Presentation {
  readonly token: string;
  readonly at: number;
  readonly end: CallEnd;
  readonly granted: boolean;
}

/**
 * The strictest rotation there is: a refresh token works once, and presenting a used one again revokes the whole
 * family (RFC 9700, section 4.14.2). No grace.
 */
export class TokenServer {
  readonly presentations: Presentation[] = [];
  lifeMs = 3_600_000;
  /** What it asks for where it does not answer correctly. */
  odd: OddAnswer = {};
  #number = 0;
  readonly #families = new Map<string, { isRevoked: boolean; live: string; readonly access: Set<string> }>();
  readonly #familyOf = new Map<string, string>();

  /** A new first token, of a family of its own. */
  issueSeed(): string {
    const seed = this.#next('seed');
    this.#families.set(seed, { isRevoked: false, live: seed, access: new Set() });
    this.#familyOf.set(seed, seed);
    return seed;
  }

  /** Families whose tokens were presented again after use. */
  get revokedFamilies(): number {
    return [...this.#families.values()].filter((family) => family.isRevoked).length;
  }

  accepts(accessToken: string): boolean {
    return [...this.#families.values()].some((family) => !family.isRevoked && family.access.has(accessToken));
  }

  /** Every access token of every family stops to work; refresh tokens live on. */
  forgetAccessTokens(): void {
    for (const family of this.#families.values()) family.access.clear();
  }

  present(token: string, end: CallEnd, at: number): ExchangeOutcome {
    const reached = end === 'answered' || end === 'answer-lost';
    const outcome = reached ? this.#grant(token) : undefined;
    this.presentations.push({ token, at, end, granted: outcome?.kind === 'granted' });
    if (end === 'refused') return { kind: 'invalid-grant', code: 'invalid_grant', isReuse: false };
    if (end === 'not-sent') return { kind: 'not-sent', reason: 'connection refused', ...this.odd };
    if (end === 'answered' && outcome !== undefined) return outcome;
    return { kind: 'unknown', reason: 'connection reset', ...this.odd };
  }

  /** An exchange that asks `end` for each call. */
  exchange(at: () => number, end: () => CallEnd = () => 'answered'): TokenExchange {
    return async (token) => this.present(token, end(), at());
  }

  #grant(token: string): ExchangeOutcome {
    const family = this.#families.get(this.#familyOf.get(token) ?? '');
    if (family === undefined || family.isRevoked || family.live !== token) {
      if (family !== undefined) family.isRevoked = true;
      return { kind: 'invalid-grant', code: 'invalid_grant', isReuse: false };
    }
    const refreshToken = this.#next('refresh');
    const accessToken = this.#next('access');
    this.#familyOf.set(refreshToken, this.#familyOf.get(token) ?? '');
    family.live = refreshToken;
    family.access.add(accessToken);
    return { kind: 'granted', accessToken, refreshToken, expiresInMs: this.lifeMs };
  }

  #next(kind: string): string {
    return `${kind}-${++this.#number}`;
  }
}
