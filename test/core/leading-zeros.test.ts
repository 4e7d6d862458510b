import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { differByZeros, otherZeros, paddedWidth } from '../../src/core/guard/damage.ts';

describe('identifications that differ by leading zeros only', () => {
  it.each([
    ['00123', '123', true],
    ['123', '0123', true],
    ['0', '000', true],
    ['123', '123', false],
    ['123', '1230', false],
    ['A012', 'A12', false],
    ['0A1', 'A1', false],
    ['', '0', false],
  ])('%s and %s: %s', (one, other, expected) => {
    expect(differByZeros(one, other)).toBe(expected);
  });

  it('are found from either of them', () => {
    expect(otherZeros('00123', new Set([5, 7]))).toEqual(['123', '0000123']);
    expect(otherZeros('123', new Set([5]))).toEqual(['00123']);
    expect(otherZeros('123', new Set())).toEqual([]);
    expect(otherZeros('000', new Set([3]))).toEqual(['0']);
    expect(otherZeros('A1', new Set([5]))).toEqual([]);
  });

  it('are all that differ by at most nine zeros, where no width is known', () => {
    const number = fc.bigInt({ min: 0n, max: 10n ** 30n }).map(String);
    const zeros = fc.integer({ min: 0, max: 9 });
    fc.assert(
      fc.property(number, zeros, zeros, (bare, some, others) => {
        const [one, other] = [bare.padStart(bare.length + some, '0'), bare.padStart(bare.length + others, '0')];
        expect(otherZeros(one).includes(other)).toBe(one !== other);
        expect(differByZeros(one, other)).toBe(one !== other);
      }),
    );
  });

  it('have a width where they are filled up', () => {
    expect(['00123', '0', '123', '0A', ''].map(paddedWidth)).toEqual([5, undefined, undefined, undefined, undefined]);
  });
});
