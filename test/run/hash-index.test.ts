import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HashIndex } from '../../src/run/read/hash-index.ts';

const int32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
// Keys that crowd one place as well as keys from everywhere.
const half = fc.oneof(int32, fc.constantFrom(0, -1, 1, 16, 32, -(2 ** 31), 2 ** 31 - 1));

describe('HashIndex', () => {
  it('finds what a Map finds, however often it has grown', () => {
    const keys = fc.uniqueArray(fc.tuple(half, half), { maxLength: 400, selector: ([hi, lo]) => `${hi},${lo}` });
    fc.assert(
      fc.property(keys, fc.array(fc.tuple(half, half)), fc.constantFrom(0, 1, 16), (known, others, expected) => {
        const index = new HashIndex(expected);
        const map = new Map<string, number>();
        for (const [i, [hi, lo]] of known.entries()) {
          index.add(hi, lo, i * 3);
          map.set(`${hi},${lo}`, i * 3);
        }
        for (const [hi, lo] of [...known, ...others]) expect(index.get(hi, lo)).toBe(map.get(`${hi},${lo}`) ?? -1);
      }),
    );
  });

  it('takes values in any order, up to and beyond the numbers that it has room for', () => {
    const values = [1023, 1024, 5000, 2, 8192, 0];
    const index = new HashIndex();
    for (const value of values) index.add(value + 1, 3, value);
    expect(values.map((value) => index.get(value + 1, 3))).toEqual(values);
    expect(values.map((value) => index.keyOf(value))).toEqual(values.map((value) => ({ hi: value + 1, lo: 3 })));
    expect(index.keyOf(1)).toEqual({ hi: 0, lo: 0 });
    expect(index.keyOf(1_000_000)).toEqual({ hi: 0, lo: 0 });
  });

  it('forgets the key of a dropped value, which another key may take', () => {
    const index = new HashIndex();
    index.add(5, 6, 0);
    index.add(5, 7, 1);
    index.drop(0);
    index.drop(1_000_000);
    expect([index.get(5, 6), index.get(5, 7), index.keyOf(0).hi]).toEqual([-1, 1, 0]);
    index.add(8, 6, 0);
    expect([index.get(5, 6), index.get(8, 6)]).toEqual([-1, 0]);
  });
});
