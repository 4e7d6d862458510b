import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HashIndex } from '../../src/engine/hash-index.ts';

const int32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
// Keys that crowd one place as well as keys from everywhere.
const half = fc.oneof(int32, fc.constantFrom(0, -1, 1, 16, 32, -(2 ** 31), 2 ** 31 - 1));

describe('HashIndex', () => {
  it('finds what a Map finds, however often it has grown', () => {
    const keys = fc.uniqueArray(fc.tuple(half, half), { maxLength: 400, selector: ([hi, lo]) => `${hi},${lo}` });
    fc.assert(
      fc.property(keys, fc.array(fc.tuple(half, half)), (known, others) => {
        const index = new HashIndex(1);
        const map = new Map<string, number>();
        for (const [i, [hi, lo]] of known.entries()) {
          index.add(hi, lo, i * 3);
          map.set(`${hi},${lo}`, i * 3);
        }
        for (const [hi, lo] of [...known, ...others]) expect(index.get(hi, lo)).toBe(map.get(`${hi},${lo}`) ?? -1);
      }),
    );
  });

  it('keeps keys apart that share their lower half', () => {
    const index = new HashIndex();
    for (let i = 0; i < 5000; i += 1) index.add(i, 7, i);
    expect([0, 1, 2500, 4999].map((hi) => index.get(hi, 7))).toEqual([0, 1, 2500, 4999]);
    expect(index.get(5000, 7)).toBe(-1);
  });
});
