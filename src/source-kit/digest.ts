import { hash } from 'node:crypto';

/**
 * The SHA-256 of a text as a text of 32 characters, one for each byte: made for everybody of a read, and half as costly
 * as a buffer for each would be.
 */
export function digestOf(text: string): string {
  return hash('sha256', text, 'binary');
}

/** The word of 32 bits that begins at a byte of a digest, its least byte first. */
export function wordAt(digest: string, at: number): number {
  const upper = (digest.charCodeAt(at + 2) << 16) | (digest.charCodeAt(at + 3) << 24);
  return (digest.charCodeAt(at) | (digest.charCodeAt(at + 1) << 8) | upper) >>> 0;
}
