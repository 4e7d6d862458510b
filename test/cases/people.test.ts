import { describe, expect, it } from 'vitest';
import { type PlayedCase, playCase } from './hr-case.ts';

/** What must be true after the last command of each case about what cells, rows and identities mean. */
const right: Readonly<Record<string, (played: PlayedCase) => void>> = {
  '16C-windows-1250-unset': ({ last }) => expect(last.code).toBe(1),
};

describe('people are read with sense', () => {
  it.each(Object.entries(right))('%s', async (name, check) => check(await playCase(name)));
});
