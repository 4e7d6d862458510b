import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { RollcallError } from '../../core/run/errors.ts';
import type { Seal } from '../../ports/tokens.ts';

const algorithm = 'aes-256-gcm';
const keyBytes = 32;
const ivBytes = 12;
const tagBytes = 16;

/**
 * Opens AES-256-GCM (NIST SP 800-38D) with a fresh 96-bit IV per secret and `context` as additional data. The text is
 * `v1.<key id>.<base64url of iv, tag and cipher text>`. The key id distinguishes keys and reveals nothing about them.
 * @param keyBase64 the configuration's `encryptionKey`: 32 bytes in base64. Anything else throws `CONFIG_INVALID`.
 */
export function openSeal(keyBase64: string): Seal {
  const key = parseKey(keyBase64);
  const keyId = createHash('sha256').update('rollcall key id').update(key).digest('hex').slice(0, 8);
  const prefix = `v1.${keyId}.`;
  return {
    keyId,
    seal(secret, context) {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv(algorithm, key, iv, { authTagLength: tagBytes }).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return prefix + Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url');
    },
    open(sealed, context) {
      if (!sealed.startsWith(prefix)) return undefined;
      const bytes = Buffer.from(sealed.slice(prefix.length), 'base64url');
      if (bytes.length < ivBytes + tagBytes) return undefined;
      const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes })
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
      try {
        return Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]).toString('utf8');
      } catch {
        // `final` throws if and only if the tag does not match.
        return undefined;
      }
    },
  };
}

function parseKey(text: string): Buffer {
  const trimmed = text.trim();
  const key = Buffer.from(trimmed, 'base64');
  const isBase64 = /^[A-Za-z0-9+/_-]+={0,2}$/.test(trimmed);
  if (isBase64 && key.length === keyBytes) return key;
  throw new RollcallError(
    `encryptionKey must be ${keyBytes} bytes in base64, this one is ${isBase64 ? `${key.length} bytes` : 'not base64'}. ` +
      'Make one with: openssl rand -base64 32',
    { code: 'CONFIG_INVALID' },
  );
}

/** The seals of a configuration. */
export interface Seals {
  /** The current one first, then former ones. Empty without an `encryptionKey`. */
  readonly all: readonly Seal[];
  /** Seals tokens with the current key, and opens what a former key sealed. A refresh seals the pair again. */
  readonly tokens: Seal | undefined;
}

/** The keys of a configuration. */
interface SealKeys {
  readonly encryptionKey?: { reveal(): string } | undefined;
  readonly formerEncryptionKeys: readonly { reveal(): string }[];
}

/** Opens the seals of `encryptionKey` and `formerEncryptionKeys`. */
export function openSeals({ encryptionKey, formerEncryptionKeys }: SealKeys): Seals {
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
