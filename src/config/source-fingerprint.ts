import { createHash } from 'node:crypto';
import { canonicalJson } from './config-hash.ts';

/**
 * Four characters that change with what is written below `source`, secrets included: another tenant's address may be one.
 * Sixteen bits fit one in 65,536 guesses, so whoever can read the store learns nothing about a password; and a change that
 * they miss is seen by the next full read.
 */
export function sourceFingerprint(written: unknown): string {
  return createHash('sha256').update(canonicalJson(written)).digest('hex').slice(0, 4);
}
