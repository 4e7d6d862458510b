import { createHash } from 'node:crypto';
import { canonicalJson } from './config-hash.ts';

/**
 * Returns four characters that change with the keys below `source`, secrets included, because another address may be
 * another tenant. With sixteen bits, one in 65,536 guesses matches, so the store reveals nothing about a password. A
 * change that they miss is noticed by the next full read.
 */
export function sourceFingerprint(written: unknown): string {
  return createHash('sha256').update(canonicalJson(written)).digest('hex').slice(0, 4);
}
