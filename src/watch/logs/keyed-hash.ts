import { createHmac } from 'node:crypto';

/** Replaces an identification in logs. The same in one store for the same identification, and irreversible without the key. */
export type KeyedHash = (identification: string) => string;

const hexDigits = 12;

/**
 * HMAC-SHA256 (RFC 2104) of the identification (NFC, trimmed), its first 12 hex digits.
 *
 * @param key at least 16 bytes, one per store; two stores cannot be compared by their logs.
 */
export function keyedHash(key: Uint8Array): KeyedHash {
  if (key.length < 16)
    throw new RangeError(`the key for hashes in logs has ${key.length} bytes, at least 16 are needed`);
  return (identification) =>
    createHmac('sha256', key).update(identification.normalize('NFC').trim()).digest('hex').slice(0, hexDigits);
}
