import { createHash, randomBytes } from 'node:crypto';
import type { TokenRecord, TokenStore } from '../../ports/store.ts';
import { type Seal, tokenPlace } from '../../ports/tokens.ts';

/** A stored token pair with its secrets opened. Exists in memory only. */
export interface TokenEntry extends Omit<TokenRecord, 'connection' | 'accessSealed' | 'refreshSealed'> {
  /** Absent: the pair is a first token that was not exchanged yet. */
  readonly access: string | undefined;
  readonly refresh: string | undefined;
  /** False when the secrets were sealed with another key; they are then absent here. */
  readonly isReadable: boolean;
}

export type TokenDraft = Omit<TokenEntry, 'generation' | 'isReadable'>;

/** The draft for a connection without a row. */
export const emptyDraft: TokenDraft = {
  state: 'ready',
  access: undefined,
  refresh: undefined,
  issuedAt: undefined,
  expiresAt: undefined,
  seedHash: undefined,
  usedSeeds: [],
  triedSeeds: [],
  refreshStartedAt: undefined,
  attempts: 0,
  retryAt: undefined,
  reason: undefined,
  restored: undefined,
};

/** One connection's row of the token store, sealed when written and opened when read. */
export type Vault = ReturnType<typeof openVault>;

/** The longest pair for which there is room: 64 KiB, and a third more as sealed text. */
const roomBytes = 64 * 1024;

export function openVault(connection: string, store: TokenStore, seal: Seal) {
  const open = ({ generation }: TokenRecord, which: 'access' | 'refresh', sealed: string | undefined) =>
    sealed === undefined ? undefined : seal.open(sealed, tokenPlace(connection, generation, which));

  return {
    /** `rows`: those of all connections, where they are read already. */
    async read(rows?: ReadonlyMap<string, TokenRecord>) {
      const record = rows === undefined ? await store.get(connection) : rows.get(connection);
      if (record === undefined) return undefined;
      const { connection: _, accessSealed, refreshSealed, ...plain } = record;
      const access = open(record, 'access', accessSealed);
      const refresh = open(record, 'refresh', refreshSealed);
      const isReadable =
        (access === undefined) === (accessSealed === undefined) &&
        (refresh === undefined) === (refreshSealed === undefined);
      return { ...plain, access, refresh, isReadable };
    },

    /**
     * Writes `draft` with the next generation if the row is still as `seen`. Returns undefined if another process was
     * faster. With `makeRoom`, the same commit also proves that the store has space for the largest answer.
     */
    async write(seen: TokenEntry | undefined, draft: TokenDraft, makeRoom?: 'room') {
      const generation = (seen?.generation ?? 0) + 1;
      const close = (which: 'access' | 'refresh', secret: string | undefined) =>
        secret === undefined ? undefined : seal.seal(secret, tokenPlace(connection, generation, which));
      const { access, refresh, ...plain } = draft;
      const next: TokenRecord = {
        ...plain,
        connection,
        generation,
        accessSealed: close('access', access),
        refreshSealed: close('refresh', refresh),
      };
      // Random, because a database may compress anything else to nothing.
      const room = makeRoom === undefined ? undefined : randomBytes(roomBytes).toString('base64');
      const isWritten = await store.replace(seen && toRow(connection, seen), next, room);
      return isWritten ? { ...draft, generation, isReadable: true } : undefined;
    },
  };
}

/** Returns what the store's compare-and-set needs: generation and state. */
function toRow(connection: string, seen: TokenEntry): TokenRecord {
  const { access: _access, refresh: _refresh, isReadable: _isReadable, ...plain } = seen;
  return { ...plain, connection, accessSealed: undefined, refreshSealed: undefined };
}

/** Returns the part of an entry that a later write may keep. */
export function draftOf(entry: TokenEntry | undefined): TokenDraft {
  if (entry === undefined) return emptyDraft;
  const { generation: _generation, isReadable: _isReadable, ...draft } = entry;
  return draft;
}

/**
 * Returns the fingerprint by which the store recognizes a configured first token, also under another name of its sync.
 * Tokens are long and random, so no salt.
 */
export function hashSeed(token: string): string {
  return createHash('sha256').update(`rollcall seed\0${token}`).digest('hex');
}
