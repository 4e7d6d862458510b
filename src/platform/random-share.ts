import { randomInt } from 'node:crypto';

/** Returns a random number, 0 ≤ x < 1. */
export function randomShare(): number {
  return randomInt(2 ** 32) / 2 ** 32;
}
