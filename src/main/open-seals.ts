import type { Config } from '../config/config.ts';
import { openSeal } from '../platform/tokens/seal.ts';
import type { Seal } from '../ports/tokens.ts';

/** The seals of a configuration. */
export interface Seals {
  /** The current one first, then former ones. Empty without an `encryptionKey`. */
  readonly all: readonly Seal[];
  /** Seals tokens with the current key, and opens what a former key sealed. A refresh seals the pair again. */
  readonly tokens: Seal | undefined;
}

/** Opens the seals of `encryptionKey` and `formerEncryptionKeys`. */
export function openSeals({ encryptionKey, formerEncryptionKeys }: Config): Seals {
  if (encryptionKey === undefined) return { all: [], tokens: undefined };
  const current = openSeal(encryptionKey.reveal());
  const all = [current, ...formerEncryptionKeys.map((key) => openSeal(key.reveal()))];
  const open = (sealed: string, context: string): string | undefined => {
    for (const seal of all) {
      const text = seal.open(sealed, context);
      if (text !== undefined) return text;
    }
    return undefined;
  };
  return { all, tokens: { ...current, open } };
}
