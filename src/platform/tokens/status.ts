import type { TokenState } from '../../ports/store.ts';
import { seedCommands } from './token-errors.ts';
import type { TokenEntry } from './vault.ts';

/** What `rollcall token status` shows. Holds no secret. Instants are epoch ms. */
export interface TokenStatus {
  readonly connection: string;
  /** `sealed`: there is a pair, and the configured encryptionKey does not open it. */
  readonly state: TokenState | 'static' | 'none' | 'sealed';
  readonly generation: number;
  readonly issuedAt: number | undefined;
  readonly expiresAt: number | undefined;
  /** Presentations of the refresh token that stayed without an answer. */
  readonly attempts: number;
  readonly reason: string | undefined;
  /** What to do, in a sentence. */
  readonly advice: string;
}

interface Described {
  readonly connection: string;
  readonly entry: TokenEntry | undefined;
  readonly seed: 'none' | 'used' | 'new';
}

export function describeTokens(described: Described): TokenStatus {
  const { connection, entry } = described;
  return {
    connection,
    state: stateOf(entry),
    generation: entry?.generation ?? 0,
    issuedAt: entry?.issuedAt,
    expiresAt: entry?.expiresAt,
    attempts: entry?.attempts ?? 0,
    reason: entry?.reason,
    advice: advise(described),
  };
}

function stateOf(entry: TokenEntry | undefined): TokenStatus['state'] {
  if (entry === undefined || entry.usedSeeds.length === 0) return 'none';
  return entry.isReadable || entry.state === 'reauth-required' ? entry.state : 'sealed';
}

function advise({ connection, entry, seed }: Described): string {
  if (seed === 'new') return `The refresh token in the configuration is new; it is presented by: ${seedCommands}.`;
  if (entry === undefined || entry.usedSeeds.length === 0) {
    return `Put a refresh token in the configuration (connections.${connection}.refreshToken).`;
  }
  if (!entry.isReadable) {
    return (
      'The stored pair was sealed with another encryptionKey: put that key back, or put a new first refresh token in the ' +
      `configuration (connections.${connection}.refreshToken).`
    );
  }
  switch (entry.state) {
    case 'ready':
      return entry.access === undefined ? `Not exchanged yet; that is done by: ${seedCommands}.` : 'Nothing to do.';
    case 'refreshing':
      return 'A refresh is under way, or its answer was lost; it is cleared up by the next command that needs a token.';
    case 'reauth-required':
      return `Get a new refresh token from the platform and put it in the configuration (connections.${connection}.refreshToken).`;
    case 'revoked':
      return `Nothing refreshes it by itself. Run \`rollcall token refresh ${connection}\`, or configure a new refresh token.`;
  }
}
