import type { TokenState } from '../../ports/store.ts';
import { seedCommands } from './token-errors.ts';
import type { TokenEntry } from './vault.ts';

/** Output of `rollcall token status`. Holds no secret. Instants are epoch ms. */
export interface TokenStatus {
  readonly connection: string;
  /** `sealed`: there is a pair, and the configured encryptionKey does not open it. */
  readonly state: TokenState | 'static' | 'none' | 'sealed';
  readonly generation: number;
  readonly issuedAt: number | undefined;
  readonly expiresAt: number | undefined;
  /** Presentations of the refresh token without an answer. */
  readonly attempts: number;
  readonly reason: string | undefined;
  /** The next step, as a sentence. */
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
  if (seed === 'new')
    return `The refresh token in the configuration is new. Commands that present it: ${seedCommands}.`;
  if (entry === undefined || entry.usedSeeds.length === 0) {
    return `Put a refresh token in the configuration (connections.${connection}.refreshToken).`;
  }
  if (!entry.isReadable) {
    return (
      'The stored pair was sealed with another encryptionKey: restore that key, or put a new first refresh token in the ' +
      `configuration (connections.${connection}.refreshToken).`
    );
  }
  switch (entry.state) {
    case 'ready':
      return entry.access === undefined ? `Not exchanged yet. Commands that do it: ${seedCommands}.` : 'Nothing to do.';
    case 'refreshing':
      return 'A refresh is in progress, or its answer was lost. The next command that needs a token resolves it.';
    case 'reauth-required':
      return `Get a new refresh token from the platform and put it in the configuration (connections.${connection}.refreshToken).`;
    case 'revoked':
      return `It is not refreshed automatically. Run \`rollcall token refresh ${connection}\`, or configure a new refresh token.`;
  }
}
