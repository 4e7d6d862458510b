import { createCipheriv } from 'node:crypto';

/** Length of a key of a temporary file, for AES-256. */
export const scratchKeyBytes = 32;

const blockBytes = 16;

/**
 * Encrypts or decrypts a temporary file from a position on, with AES-256-CTR (NIST SP 800-38A): the function takes the
 * next bytes and returns as many. The key belongs to one file and stays in memory, so what a crash or a copy of the disk
 * leaves cannot be read. A position must be written once per key, because two texts under one key stream show each other.
 */
export function scratchCipher(key: Uint8Array, position: number): (bytes: Uint8Array) => Buffer {
  const counter = Buffer.alloc(blockBytes);
  counter.writeBigUInt64BE(BigInt(Math.floor(position / blockBytes)), blockBytes - 8);
  const cipher = createCipheriv('aes-256-ctr', key, counter);
  const before = position % blockBytes;
  if (before > 0) cipher.update(counter.subarray(0, before));
  return (bytes) => cipher.update(bytes);
}
