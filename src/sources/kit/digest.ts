import { hash } from 'node:crypto';

/**
 * Returns the SHA-256 of a text as a text of 32 characters, one per byte. It is computed for every employee, and
 * costs half as much as a buffer.
 */
export function digestOf(text: string): string {
  return hash('sha256', text, 'binary');
}

/** Adds the digest of a text, word by word, to a sum that does not depend on the order of the texts. */
export function addDigest(sum: Uint32Array, text: string): void {
  const digest = digestOf(text);
  for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] ?? 0) + wordAt(digest, i * 4);
}

/** Returns the 32-bit word at a byte of a digest, in little-endian order. */
export function wordAt(digest: string, at: number): number {
  const upper = (digest.charCodeAt(at + 2) << 16) | (digest.charCodeAt(at + 3) << 24);
  return (digest.charCodeAt(at) | (digest.charCodeAt(at + 1) << 8) | upper) >>> 0;
}
