import { describe, expect, it } from 'vitest';
import {
  afterAccepted,
  afterRefusal,
  afterTooLarge,
  connectionTrouble,
  type RefusedFile,
  rowsLimit,
} from '../../src/core/run/waves.ts';

const file: RefusedFile = { size: 8, level: 'file', other: 'accepted', splitsLeft: 3 };

describe('after a refused file', () => {
  it.each<{ over: Partial<RefusedFile>; next: string }>([
    { over: {}, next: 'split' },
    { over: { splitsLeft: 0 }, next: 'split' },
    { over: { size: 1 }, next: 'fail' },
    { over: { level: 'half', other: 'none-yet' }, next: 'wait' },
    { over: { level: 'half', other: 'none-yet', size: 1 }, next: 'wait' },
    { over: { level: 'half', other: 'refused' }, next: 'fail-both' },
    { over: { level: 'half', other: 'refused', size: 1 }, next: 'fail-both' },
    { over: { level: 'half' }, next: 'split' },
    { over: { level: 'half', size: 1 }, next: 'fail' },
    { over: { level: 'half', splitsLeft: 0 }, next: 'fail' },
    { over: { level: 'part' }, next: 'split' },
    { over: { level: 'part', splitsLeft: 0 }, next: 'fail' },
    { over: { level: 'part', size: 1 }, next: 'fail' },
  ])('with $over the next is $next', ({ over, next }) => {
    expect(afterRefusal({ ...file, ...over })).toBe(next);
  });
});

it.each([
  { refused: { count: 1 }, words: undefined },
  { refused: { count: 2 }, words: undefined },
  { refused: { count: 3 }, words: '3 files or changes in a row' },
  { refused: { count: 1, hasDisables: true }, words: undefined },
  { refused: { count: 2, hasDisables: true }, words: 'the file of disables and another one' },
] as const)('$refused in a row is trouble of the connection: $words', ({ refused, words }) => {
  const said = connectionTrouble(refused);
  if (words === undefined) expect(said).toBeUndefined();
  else expect(said).toContain(words);
});

describe('the size of files', () => {
  const day = 86_400_000;

  it('is not limited before one was too large', () => {
    expect(rowsLimit(undefined, 0)).toBeUndefined();
  });

  it('is that of the largest accepted file, and half of the refused one before there is any', () => {
    const refused = afterTooLarge(undefined, 1000, 0);
    expect(rowsLimit(refused, 0)).toBe(500);
    const less = afterTooLarge(refused, 500, 0);
    expect(rowsLimit(less, 0)).toBe(250);
    const accepted = afterAccepted(less, 250);
    expect([rowsLimit(accepted, 0), afterAccepted(accepted, 100)]).toEqual([250, accepted]);
    expect(afterAccepted(accepted, 700)).toBe(accepted);
  });

  it('that was accepted and is refused later counts no more', () => {
    const known = afterAccepted(afterTooLarge(undefined, 1000, 0), 500);
    expect(rowsLimit(afterTooLarge(known, 400, 0), 0)).toBe(200);
  });

  it('is forgotten after 30 days, when the platform may accept more', () => {
    const known = afterAccepted(afterTooLarge(undefined, 1000, 0), 500);
    expect(rowsLimit(known, 29 * day)).toBe(500);
    expect(rowsLimit(known, 30 * day)).toBeUndefined();
    expect(afterTooLarge(known, 2000, 31 * day)).toEqual({ accepted: 0, tooLarge: 2000, at: 31 * day });
  });
});
